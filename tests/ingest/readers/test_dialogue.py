from ingest.readers.dialogue import with_dialogues
from ingest.readers.plain_text import read


def blocks_of(text: str) -> list[tuple[str, str]]:
    extracted = with_dialogues(read(text.encode(), lambda page, pages: None))
    return [(block.kind, extracted.text[block.char_from : block.char_to]) for block in extracted.blocks]


def test_speeches_and_their_choices_are_one_dialogue() -> None:
    dialogue = (
        "MARA: The lamp is out.\n\n(She turns.)\n\nTOBIN (whispering): Then who lit the tower?\n\n"
        "- Tell him the truth\n- Say nothing"
    )
    assert blocks_of(f"It is night.\n\n{dialogue}\n\nThe door falls shut.") == [
        ("paragraph", "It is night."),
        ("dialogue", dialogue),
        ("paragraph", "The door falls shut."),
    ]


def test_speakers_in_mixed_case_are_known_by_coming_back() -> None:
    dialogue = "Mara: Who is there?\nTobin: Only me.\nMara: Come in, then."
    assert blocks_of(dialogue) == [("dialogue", dialogue)]


def test_labels_are_no_dialogue() -> None:
    assert [kind for kind, _ in blocks_of("Platform: PC\n\nAudience: all ages\n\nEngine: Godot")] == [
        "paragraph",
        "paragraph",
        "paragraph",
    ]


def test_one_speech_is_no_dialogue() -> None:
    assert blocks_of("MARA: Only me here.") == [("paragraph", "MARA: Only me here.")]


def test_a_heading_ends_a_dialogue() -> None:
    kinds = [kind for kind, _ in blocks_of("MARA: One.\nTOBIN: Two.\n\nAct 2\n\nMARA: Three.\nTOBIN: Four.")]
    assert kinds == ["dialogue", "heading", "dialogue"]
