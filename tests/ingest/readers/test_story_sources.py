"""Screenplays and dialogue sources: their own sections, and the file itself as the text."""

from textwrap import dedent

from ingest.extracted import Extracted
from ingest.readers import read
from ingest.split import MAX_CHARACTERS, split


def passages(name: str, source: str) -> list[tuple[tuple[str, ...], str]]:
    text = dedent(source)
    extracted: Extracted = read(name, text.encode())
    assert extracted.text == text
    found = split(extracted, "d" * 16, name)
    assert all(text[one.char_from : one.char_to] == one.text for one in found)
    return [(passage.heading, passage.text) for passage in found]


SCREENPLAY = """\
    Title: The Drowned Bell
    Author: Nobody

    # Act One

    INT. LIGHTHOUSE - NIGHT #1#

    Elena climbs the stairs.

    ELENA (V.O.)
    (out of breath)
    Nobody told me.

    @McGregor
    They never do.

    CUT TO:

    .THE HARBOUR

    /* This is struck out.

    ELENA
    Never said. */

    Waves.
    """


def test_a_screenplay_is_split_at_its_scenes() -> None:
    assert passages("bell.fountain", SCREENPLAY) == [
        ((), "Title: The Drowned Bell\nAuthor: Nobody"),
        (
            ("Act One", "INT. LIGHTHOUSE - NIGHT"),
            (
                "Elena climbs the stairs.\n\nELENA (V.O.)\n(out of breath)\nNobody told me.\n\n"
                "@McGregor\nThey never do.\n\nCUT TO:"
            ),
        ),
        (("Act One", "THE HARBOUR"), "Waves."),
    ]


def test_a_long_dialogue_is_cut_between_speeches() -> None:
    speeches = [f"ELENA\nThis is line {number} of a long quarrel.\n\nMARA\nAnd {number} more." for number in range(40)]
    found = passages("bell.fountain", "INT. TOWER\n\n" + "\n\n".join(speeches) + "\n")
    assert len(found) > 1
    assert all(text.startswith(("ELENA\n", "MARA\n")) for _, text in found)
    assert all(len(text) <= MAX_CHARACTERS for _, text in found)


def test_a_dialogue_that_fits_is_not_cut() -> None:
    quarrel = "\n\n".join(f"ELENA\nLine {number}.\n\nMARA\nNo." for number in range(12))
    action = "She climbs, and counts the steps as she always does. " * 12
    found = passages("bell.fountain", f"INT. TOWER\n\n{action.strip()}\n\n{quarrel}\n")
    assert [text for _, text in found] == [action.strip(), quarrel]


def test_ink_is_split_at_knots_and_stitches() -> None:
    source = """\
        VAR lamp = false
        -> harbour

        === harbour ===
        The harbour freezes.
        * [Ask Mara] -> mara
        = mara
        Mara: Ring it!
        == function raise(x)
        ~ return x
        """
    assert passages("bell.ink", source) == [
        ((), "VAR lamp = false\n-> harbour"),
        (("harbour",), "The harbour freezes.\n* [Ask Mara] -> mara"),
        (("harbour", "mara"), "Mara: Ring it!"),
        (("raise",), "~ return x"),
    ]


def test_yarn_is_split_at_nodes_and_only_the_title_of_their_heads_is_read() -> None:
    source = """\
        tags: night
        title: Harbour
        position: 10,20
        ---
        Mara: Ring it!
        -> Aye
            Tobin: It rings.
        ===
        title: Tower
        ---
        <<jump Harbour>>
        ===
        """
    assert passages("bell.yarn", source) == [
        (("Harbour",), "Mara: Ring it!\n-> Aye\n    Tobin: It rings."),
        (("Tower",), "<<jump Harbour>>"),
    ]


def test_yarn_without_heads_is_text() -> None:
    assert passages("bell.yarn", "Mara: Ring it!\n") == [((), "Mara: Ring it!")]


def test_twee_is_split_at_passages_and_code_is_left_out() -> None:
    source = """\
        :: StoryData
        {"ifid": "D674C58C"}

        :: Harbour \\[north\\] [night storm] {"position":"10,20"}
        The harbour freezes. [[Go up->Tower]]

        :: Looks [stylesheet]
        body { color: white }

        :: Tower
        A bell.
        """
    assert passages("bell.twee", source) == [
        (("Harbour [north]",), "The harbour freezes. [[Go up->Tower]]"),
        (("Tower",), "A bell."),
    ]


def test_a_name_with_nothing_below_it_but_what_is_left_out_is_found() -> None:
    scenes = "INT. HARBOUR - NIGHT\n\n/* todo */\n\nINT. TOWER - DAY\n\nMira climbs.\n"
    assert passages("a.fountain", scenes) == [((), "INT. HARBOUR - NIGHT"), (("INT. TOWER - DAY",), "Mira climbs.")]
    nodes = "title: Lighthouse\nposition: 1,2\n---\n===\ntitle: Next\n---\nMira: Hello.\n===\n"
    assert "Lighthouse" in passages("a.yarn", nodes)[0][1]
    story = ":: Lighthouse\n\n:: Code [script]\nvar a;\n\n:: Next\nHello.\n"
    assert passages("a.twee", story) == [((), ":: Lighthouse"), (("Next",), "Hello.")]
