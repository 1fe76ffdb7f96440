"""Any text at all, through every reader of text files: its blocks are in order, and its passages are its own."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingest.readers.formats import detect, reader_of
from ingest.split import split, with_cuts

NAMES = ["a.txt", "a.md", "a.csv", "a.fountain", "a.ink", "a.yarn", "a.twee"]
PIECES = [
    *("\n", "\r\n", "\n\n", " ", "\t", "---", "===", "== knot", "= stitch", "title: A", "title:", ":: Name [tag] {}"),
    *(":: StoryData", "INT. TOWER", ".HERE", "ELENA", "@Mac", "/*", "*/", "# Act", "## ", "Elena: Hello.", "tags: [a]"),
    *('"', ",", ";", "|", "a,b", '"a\nb",c', "- one", "[[A|b]]", "key: value", "wave " * 300, "é", "\f", "\u2028"),
]
TYPED = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=5)


@settings(deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.sampled_from(PIECES) | TYPED, max_size=30), st.sampled_from("\n "))
def test_blocks_are_in_order_and_passages_are_spans_of_the_file(name: str, pieces: list[str], joint: str) -> None:
    text = joint.join(pieces)
    data = text.encode("utf-8", "replace")
    assume(text.strip())
    extracted = reader_of(detect(name, data))(data, lambda page, pages: None)
    end = 0
    for block in extracted.blocks:
        assert end <= block.char_from <= block.char_to <= len(extracted.text), (block, end)
        end = block.char_to
    for passage in split(with_cuts(extracted), "d" * 16, name):
        assert extracted.text[passage.char_from : passage.char_to] == passage.text
