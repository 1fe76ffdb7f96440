from ingest.readers.pdf.hyphens import Hyphens
from ingest.readers.pdf.layout import TextLine


def hyphens(*texts: str) -> Hyphens:
    return Hyphens.of([[TextLine(0, 0, 1, 1, text, 10, False, (text,), (0,), 1) for text in texts]])


def test_words_that_the_document_knows_whole_are_made_whole() -> None:
    assert hyphens("the lighthouse stands").joined("a light-", "house burns") == "a lighthouse burns"


def test_words_that_the_document_writes_with_a_hyphen_keep_it() -> None:
    assert hyphens("a well-known tale").joined("so well-", "known") == "so well-known"


def test_a_document_that_breaks_no_words_only_wraps_at_hyphens() -> None:
    assert hyphens("he handed it over").joined("she is left-", "handed") == "she is left-handed"


def test_a_document_that_breaks_words_is_trusted_to_have_broken_this_one() -> None:
    found = hyphens("the tower and the house", "of the captain, a cap-", "tain of the sea")
    assert found.breaks_words
    assert found.joined("the light-", "house") == "the lighthouse"


def test_a_document_with_many_breaks_breaks_words() -> None:
    assert hyphens("no sea taki-", "mata est").joined("no sea taki-", "mata est") == "no sea takimata est"


def test_ranges_names_and_plain_lines_are_only_joined() -> None:
    assert hyphens("").joined("from 1899-", "1903") == "from 1899- 1903"
    assert hyphens("").joined("of Anna-", "Maria") == "of Anna- Maria"
    assert hyphens("").joined("one", "two") == "one two"
