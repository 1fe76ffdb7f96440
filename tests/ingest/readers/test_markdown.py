import pytest

from ingest.extracted import Extracted
from ingest.readers.markdown import read
from ingest.split import split, with_cuts


def extract(text: str) -> Extracted:
    return read(text.encode(), lambda page, pages: None)


def pieces(extracted: Extracted) -> list[tuple[str, str]]:
    return [(block.kind, extracted.text[block.char_from : block.char_to]) for block in extracted.blocks]


def test_blocks_are_spans_of_the_file() -> None:
    text = "# The *Lost* [Bell](x.md)\n\nA bell\nrings.\n\n- one\n- two\n\n  more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    extracted = extract(text)
    assert extracted.text == text
    assert pieces(extracted) == [
        ("heading", "# The *Lost* [Bell](x.md)"),
        ("paragraph", "A bell\nrings."),
        ("list", "- one\n- two\n\n  more"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
    ]
    assert extracted.blocks[0].title == "The Lost Bell"


def test_levels_of_both_kinds_of_headings() -> None:
    extracted = extract("Top\n===\n\nSub\n---\n\n### Third ###\n")
    assert [(block.level, block.title) for block in extracted.blocks] == [(1, "Top"), (2, "Sub"), (3, "Third")]


def test_words_on_two_lines_of_a_heading_are_not_glued() -> None:
    for line_break in ("  ", "", "\\"):
        assert extract(f"The bell{line_break}\ntower\n===\n").blocks[0].title == "The bell tower"


def test_windows_line_ends_do_not_move_spans() -> None:
    extracted = extract("# Bell\r\n\r\nIt rings.\r\nTwice.\r\n")
    assert pieces(extracted) == [("heading", "# Bell"), ("paragraph", "It rings.\r\nTwice.")]


def test_front_matter_is_no_heading() -> None:
    extracted = extract("---\ntitle: Bell\ntags: [a]\n---\n\n# Bell\n\nIt rings.\n")
    assert pieces(extracted) == [
        ("omitted", "---\n"),
        ("code", "title: Bell"),
        ("omitted", "\ntags: [a]\n---"),
        ("heading", "# Bell"),
        ("paragraph", "It rings."),
    ]


def test_headings_within_code_and_quotes_are_text() -> None:
    extracted = extract("```\n# not a heading\n```\n\n> # neither\n> words\n")
    assert [kind for kind, _ in pieces(extracted)] == ["code", "paragraph"]


OBSIDIAN = """---
id: NPC-LENA
tags:
  - npc
aliases: [Lena, "The Keeper"]
created: 2024-05-01
home: "[[Ness]]"
fears:
  - the sea
  - the bell
cssclass: wide
---
# [[Elena]] and the [[Ness#Old town|harbour]]

She lives in [[Ness|the harbour]].
"""


def test_of_a_notes_properties_only_facts_are_read() -> None:
    passages = split(with_cuts(extract(OBSIDIAN)), "d" * 16, "Elena.md")
    assert [(passage.heading, passage.text) for passage in passages] == [
        ((), "id: NPC-LENA"),
        ((), 'aliases: [Lena, "The Keeper"]'),
        ((), 'home: "[[Ness]]"\nfears:\n  - the sea\n  - the bell'),
        (("Elena and the harbour",), "She lives in [[Ness|the harbour]]."),
    ]


def test_front_matter_of_bookkeeping_alone_is_no_passage() -> None:
    extracted = with_cuts(extract("---\ntags: [npc]\n---\nElena keeps the light.\n"))
    assert [passage.text for passage in split(extracted, "d" * 16, "Elena.md")] == ["Elena keeps the light."]


@pytest.mark.parametrize(
    "between",
    [
        "\n# The Bell Tower\n\nShe said: ring it.\n\n",
        "# The Bell Tower\n## The stairs\n",
        "Osk rings the bell.\n\n",
        "title: Bell\n\nOsk rings it.\n\n",
    ],
)
def test_text_between_two_rules_is_no_front_matter(between: str) -> None:
    extracted = extract(f"---\n{between}---\n\nBoats leave at dawn.\n")
    assert not [kind for kind, _ in pieces(extracted) if kind == "omitted"]
    shown = " ".join(piece for _, piece in pieces(extracted))
    assert all(line in shown for line in [*between.split("\n"), "Boats leave at dawn."])


def test_a_heading_between_two_rules_is_a_heading() -> None:
    [passage] = split(with_cuts(extract("---\n# Act One\n---\n\nBoats leave.\n")), "d" * 16, "x.md")
    assert (passage.heading, passage.text) == (("Act One",), "Boats leave.")


def test_a_comment_and_a_gap_are_front_matter_and_the_comment_stays_text() -> None:
    extracted = extract("---\n# Act One\ntitle: Bell\n\ntags:\n- npc\n---\nIt rings.\n")
    assert [piece for kind, piece in pieces(extracted) if kind != "omitted"] == [
        "# Act One",
        "title: Bell",
        "It rings.",
    ]


def test_a_rule_at_the_beginning_is_no_front_matter_without_its_end() -> None:
    extracted = extract("---\n\nElena keeps the light.\n")
    assert [kind for kind, _ in pieces(extracted)] == ["paragraph"]
