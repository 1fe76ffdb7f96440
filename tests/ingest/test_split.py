"""Passages along the structure of documents, made by hand and by hypothesis."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora import Page, Passage, passage_id
from ingest.extracted import Block, BlockKind, Extracted, ReadError
from ingest.readers import MAX_CHARACTERS as MOST_OF_A_DOCUMENT
from ingest.split import MAX_CHARACTERS, MAX_CHARACTERS_ACCENTED, MAX_PASSAGES, split, with_cuts

SENTENCE = "The keeper counts the waves and writes their number down. "
LONG = (SENTENCE * 40).strip()


Part = tuple[BlockKind, str] | tuple[BlockKind, str, int]


def document(*parts: Part, pages: tuple[int, ...] = ()) -> Extracted:
    """A document of blocks; `pages` says on which page each block is."""
    text = "\n\n".join(part[1] for part in parts)
    blocks: list[Block] = []
    position = 0
    for kind, words, *level in parts:
        title = words if kind == "heading" else ""
        blocks.append(Block(kind, position, position + len(words), *(level or [0]), title=title))
        position += len(words) + 2
    return Extracted("test", text, _pages(text, blocks, pages), tuple(blocks))


def _pages(text: str, blocks: list[Block], numbers: tuple[int, ...]) -> tuple[Page, ...]:
    if not numbers:
        return (Page(None, 0, len(text), text),)
    pages: list[Page] = []
    for number in range(1, max(numbers) + 1):
        spans = [block for block, on in zip(blocks, numbers, strict=True) if on == number]
        start = spans[0].char_from if spans else (pages[-1].char_to if pages else 0)
        end = spans[-1].char_to if spans else start
        pages.append(Page(number, start, end, text[start:end]))
    return tuple(pages)


def cut(extracted: Extracted) -> list[Passage]:
    return split(with_cuts(extracted), "d" * 16, "bible.pdf")


def texts(extracted: Extracted) -> list[str]:
    return [passage.text for passage in cut(extracted)]


def test_each_passage_knows_its_document_headings_and_place() -> None:
    extracted = document(("heading", "World", 1), ("heading", "Harbour", 2), ("paragraph", "Boats."), pages=(1, 1, 2))
    assert cut(extracted) == [
        Passage(
            id=passage_id("d" * 16, ("World", "Harbour"), "Boats.", 0),
            document_id="d" * 16,
            document="bible.pdf",
            page_from=2,
            page_to=2,
            heading=("World", "Harbour"),
            char_from=16,
            char_to=22,
            text="Boats.",
        )
    ]


@pytest.mark.parametrize(
    ("blocks", "kind"),
    [
        ((("paragraph", "Boats."), ("list", "- one")), "prose"),
        ((("list", "- one"), ("list", "- two")), "list"),
        ((("table", "| a | b |"),), "table"),
        ((("row", "a: b"),), "table"),
        ((("paragraph", "They meet."), ("dialogue", "MARA: Well?\nTOBIN: No.\nMARA: Ah.")), "dialogue"),
    ],
)
def test_each_passage_knows_what_it_is_made_of(blocks: tuple[tuple[str, str], ...], kind: str) -> None:
    (passage,) = cut(document(("heading", "Quay", 1), *blocks))  # pyright: ignore[reportArgumentType]
    assert passage.kind == kind


def test_short_paragraphs_under_one_heading_are_joined_and_those_of_two_are_not() -> None:
    extracted = document(
        ("heading", "Mara", 1),
        ("paragraph", "One."),
        ("list", "- two"),
        ("heading", "Tobin", 1),
        ("paragraph", "Three."),
    )
    assert texts(extracted) == ["One.\n\n- two", "Three."]


def test_a_heading_ends_the_headings_of_its_level_and_below() -> None:
    extracted = document(
        ("heading", "A", 1), ("heading", "B", 3), ("paragraph", "one"), ("heading", "C", 2), ("paragraph", "two")
    )
    assert [passage.heading for passage in cut(extracted)] == [("A", "B"), ("A", "C")]


@pytest.mark.parametrize(("title", "kept"), [("Level {}", 9), ("{:0200}", 1), ("{:0100}", 3)])
def test_of_headings_in_headings_without_end_the_innermost_are_kept(title: str, kept: int) -> None:
    """Each passage has them: a short file could be gigabytes."""
    titles = [title.format(level) for level in range(300)]
    parts: list[Part] = []
    for level, words in enumerate(titles, 1):
        parts.append(("heading", words, level))
        parts.append(("paragraph", f"Text {level}."))
    assert cut(document(*parts))[-1].heading == tuple(titles[-kept:])


def test_a_heading_with_nothing_below_is_text_of_its_section() -> None:
    extracted = document(
        ("heading", "Art", 1),
        ("heading", "Style:", 2),
        ("heading", "Pixel art", 2),
        ("heading", "Sound", 1),
        ("paragraph", "Waves."),
        ("heading", "The end", 1),
    )
    assert [(passage.heading, passage.text) for passage in cut(extracted)] == [
        (("Art",), "Style:\n\nPixel art"),
        (("Sound",), "Waves."),
        ((), "The end"),
    ]


def test_paragraphs_stay_whole() -> None:
    paragraph = (SENTENCE * 10).strip()
    assert texts(document(("paragraph", paragraph), ("paragraph", paragraph))) == [paragraph, paragraph]


def test_long_paragraphs_are_cut_at_sentences_into_even_parts() -> None:
    found = texts(document(("paragraph", LONG)))
    assert " ".join(found) == LONG
    assert all(text.startswith("The keeper") and text.endswith("down.") for text in found)
    assert all(MAX_CHARACTERS / 2 < len(text) <= MAX_CHARACTERS for text in found)


def test_abbreviations_before_small_letters_are_no_sentence_ends() -> None:
    words = "He counts e.g. boats, nets etc. and more of that kind every single day of the year. " * 20
    assert all(text.startswith("He") for text in texts(document(("paragraph", words.strip()))))


def test_words_without_any_end_are_cut_at_spaces_and_then_anywhere() -> None:
    assert "".join(texts(document(("paragraph", "wave" * 1000)))) == "wave" * 1000
    assert " ".join(texts(document(("paragraph", "wave " * 1000)))) == ("wave " * 1000).strip()


def test_tables_and_dialogues_stay_whole_where_they_fit() -> None:
    table = "\n".join(f"Item {row} | worth {row} coins" for row in range(36))
    dialogue = "\n".join(f"MARA: Line {row} of the scene." for row in range(28))
    prose = (SENTENCE * 6).strip()
    found = texts(document(("paragraph", prose), ("table", table), ("paragraph", prose), ("dialogue", dialogue)))
    assert found == [prose, table, prose, dialogue]


def test_what_does_not_fit_is_cut_between_rows_and_speeches() -> None:
    rows = [f"Item {row} | worth {row} coins. It is old." for row in range(100)]
    found = texts(document(("table", "\n".join(rows))))
    assert [row for text in found for row in text.split("\n")] == rows


def test_pages_begin_anew_unless_a_sentence_goes_on() -> None:
    extracted = document(
        ("paragraph", "It ends here."),
        ("paragraph", "This goes on"),
        ("paragraph", "overleaf."),
        ("paragraph", "New."),
        pages=(1, 2, 3, 4),
    )
    assert [(passage.page_from, passage.page_to) for passage in cut(extracted)] == [(1, 1), (2, 3), (4, 4)]


def test_a_sentence_over_three_pages_is_cut() -> None:
    extracted = document(("paragraph", "one"), ("paragraph", "two"), ("paragraph", "three"), pages=(1, 2, 3))
    assert [(passage.page_from, passage.page_to) for passage in cut(extracted)] == [(1, 2), (3, 3)]


def test_an_edit_on_one_page_leaves_the_passages_of_others() -> None:
    rest: list[Part] = [("paragraph", LONG)] * 3

    def book(first: str) -> Extracted:
        return document(("heading", "Book", 1), ("paragraph", first), *rest, pages=(1, 1, 2, 3, 4))

    before, after = ({passage.id for passage in cut(book(text))} for text in ("Old words.", "New words. " * 60))
    assert len(before - after) == 1


def test_passages_that_are_alike_have_ids_of_their_own() -> None:
    note: list[Part] = [("heading", "Note", 1), ("paragraph", "See above.")]
    extracted = document(*note * 3)
    assert len({passage.id for passage in cut(extracted)}) == 3


def test_rules_alone_are_no_passages() -> None:
    assert texts(document(("paragraph", "One."), ("heading", "A", 1), ("paragraph", "* * *"))) == ["One.\n\nA"]


def test_a_text_that_was_set_as_a_heading_is_text() -> None:
    extracted = document(("heading", SENTENCE * 5, 1), ("paragraph", "More."))
    assert [passage.heading for passage in cut(extracted)] == [()]


def test_passages_are_shorter_in_languages_that_the_model_cuts_up() -> None:
    polish = "Żółta łódź płynie wśród wysokich fal ku latarni. " * 60
    assert max(map(len, texts(document(("paragraph", polish.strip()))))) <= MAX_CHARACTERS_ACCENTED


def test_rows_are_passages_of_their_own() -> None:
    mara, tobin = (f"{name} | keeper of the bell in the harbour of the drowned" for name in ("Mara", "Tobin"))
    extracted = document(("paragraph", "Before."), ("row", mara), ("row", tobin), ("paragraph", "After."))
    assert texts(extracted) == ["Before.", mara, tobin, "After."]


def test_short_rows_are_passages_together() -> None:
    extracted = document(("paragraph", "Before."), ("row", "Mara | 3"), ("row", "Tobin | 4"), ("paragraph", "After."))
    assert texts(extracted) == ["Before.", "Mara | 3\n\nTobin | 4", "After."]
    text = "".join(f"{number},{number * 7}\n" for number in range(2_000))
    blocks = [Block("row", match.start(), match.end()) for match in re.finditer(r".+", text)]
    found = cut(Extracted("csv", text, (Page(None, 0, len(text), text),), tuple(blocks)))
    assert all(len(passage.text) <= 60 for passage in found)
    assert len(found) <= len(text) / 50


def test_a_document_of_scraps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.split.MAX_PASSAGES", 3)
    scraps: list[Part] = []
    for at in range(4):
        scraps.append(("heading", f"H{at}", 1))
        scraps.append(("paragraph", "x"))
    assert len(cut(document(*scraps[:6]))) == 3
    with pytest.raises(ReadError, match=r"more than 3 passages.*split it") as refused:
        cut(document(*scraps))
    assert refused.value.code == "TOO_MANY_PASSAGES"


@pytest.mark.parametrize("word", ["yellow", "żółta"])
def test_prose_of_the_most_characters_has_fewer_passages_than_a_document_may(word: str) -> None:
    """Sentences and paragraphs of usual lengths, a heading for every few; a tenth of it stands for all."""
    chance, parts, length = random.Random(1), list[Part](), 0
    while length < MOST_OF_A_DOCUMENT // 10:
        if len(parts) % 6 == 0:
            parts.append(("heading", f"Chapter {len(parts)}", 1))
        words = [round(chance.lognormvariate(2.7, 0.45)) for _ in range(round(chance.lognormvariate(0.9, 0.4)))]
        paragraph = " ".join(f"{' '.join([word] * count).capitalize()}." for count in words if count)
        parts.append(("paragraph", paragraph))
        length += len(paragraph)
    assert len(cut(document(*parts))) < MAX_PASSAGES / 10


def test_a_table_of_very_many_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As others wait while it is written."""
    row, most = f"{'x' * 61}\n", 1_500
    monkeypatch.setattr("ingest.split.MAX_PASSAGES", most)

    def table(rows: int) -> Extracted:
        blocks = tuple(Block("row", at * len(row), (at + 1) * len(row) - 1) for at in range(rows))
        return Extracted("csv", row * rows, (Page(None, 0, len(row) * rows, row * rows),), blocks)

    assert len(cut(table(most))) == most
    with pytest.raises(ReadError, match=r"more than 1,500 passages.*very many rows.*split it"):
        cut(table(most + 1))


def test_what_is_omitted_is_in_no_passage() -> None:
    extracted = document(("paragraph", "Before."), ("omitted", "struck out"), ("paragraph", "After."))
    assert texts(extracted) == ["Before.", "After."]


KINDS: list[BlockKind] = ["heading", "paragraph", "list", "table", "row", "dialogue", "code"]
WORDS = st.text(alphabet="aB é.\n!-…\t§", max_size=300) | st.sampled_from([LONG, "wave" * 600, SENTENCE])


@st.composite
def documents(draw: st.DrawFn) -> Extracted:
    """Blocks with and without text between them, on any number of pages."""
    text = ""
    blocks: list[Block] = []
    breaks = [0]
    for _ in range(draw(st.integers(0, 8))):
        text += draw(st.text(alphabet="x \n", max_size=5))
        start, words, kind = len(text), draw(WORDS), draw(st.sampled_from(KINDS))
        text += words
        level, title = (draw(st.integers(1, 4)), f"heading at {start}") if kind == "heading" else (0, "")
        blocks.append(Block(kind, start, len(text), level, title))
        breaks += draw(st.lists(st.integers(start, len(text)), max_size=2))
    if draw(st.booleans()):
        return Extracted("test", text, (Page(None, 0, len(text), text),), tuple(blocks))
    starts = sorted(breaks)
    ends = [*starts[1:], len(text)]
    pages = [Page(number, a, b, text[a:b]) for number, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]
    return Extracted("test", text, tuple(pages), tuple(blocks))


@settings(deadline=None)
@given(documents())
def test_passages_are_ordered_spans_within_the_limits(extracted: Extracted) -> None:
    end = 0
    for passage in cut(extracted):
        assert end <= passage.char_from < passage.char_to
        assert passage.text == extracted.text[passage.char_from : passage.char_to] == passage.text.strip()
        assert len(passage.text) <= MAX_CHARACTERS
        assert extracted.pages_of(passage.char_from, passage.char_to) == (passage.page_from, passage.page_to)
        if passage.page_from is not None and passage.page_to is not None:
            touched = [page for page in extracted.pages if _touches(page, passage)]
            assert len(touched) <= 2
        end = passage.char_to


def _touches(page: Page, passage: Passage) -> bool:
    return page.char_from < passage.char_to and passage.char_from < page.char_to


@settings(deadline=None)
@given(documents())
def test_passages_cover_every_word_but_headings_with_text_below(extracted: Extracted) -> None:
    covered = bytearray(len(extracted.text))
    for passage in cut(extracted):
        covered[passage.char_from : passage.char_to] = b"\1" * len(passage.text)
    headings = [block for block in extracted.blocks if block.kind == "heading"]
    for word in re.finditer(r"[^\W_]", extracted.text):
        inside = [heading for heading in headings if heading.char_from <= word.start() < heading.char_to]
        assert covered[word.start()] or inside


@settings(deadline=None)
@given(documents())
def test_no_passage_crosses_a_heading_with_text_below(extracted: Extracted) -> None:
    passages = cut(extracted)
    for passage in passages:
        for block in extracted.blocks:
            if passage.char_from < block.char_to and block.char_from < passage.char_to:
                assert block.kind != "heading" or not any(block.title in other.heading for other in passages)


@settings(deadline=None)
@given(documents())
def test_splitting_is_deterministic_and_ids_are_unique(extracted: Extracted) -> None:
    passages = cut(extracted)
    assert passages == cut(extracted)
    assert len({passage.id for passage in passages}) == len(passages)


def test_headings_that_read_alike_make_no_two_passages_of_one_id() -> None:
    same: Part = ("paragraph", "The same text here.")
    passages = cut(document(("heading", "A > B", 1), same, ("heading", "A", 1), ("heading", "B", 2), same))
    assert [passage.text for passage in passages] == [same[1], same[1]]
    assert len({passage.id for passage in passages}) == 2
