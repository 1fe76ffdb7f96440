"""Names of documents: which may be one, and what one without a name is called."""

import unicodedata
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import InvalidName
from ingest import DocumentReport, Given, Source, known_as, source, too_large, unnamed
from ingest.source import document_name


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        ("", "is empty"),
        (" ", "is empty"),
        ("..", r"'\.\.'"),
        ("../bible.pdf", r"'\.\.'"),
        ("a/../../bible.pdf", r"'\.\.'"),
        ("..\\bible.pdf", r"'\.\.'"),
        ("/etc/passwd", "absolute"),
        ("\\\\server\\share\\a.md", "absolute"),
        ("C:\\a.md", "absolute"),
        ("a//b.md", "empty part"),
        ("a/", "empty part"),
        ("./a.md", "empty part"),
        ("a\nb.md", "control"),
        ("a\0.md", "control"),
        ("a\udc80.md", r"'a\\x80\.md'.*bytes that are not text"),
        ("a\x1b[31m.md", r"'a\\x1b\[31m\.md'"),
        ("invoice\u202efdp.md", r"'invoice\\u202efdp\.md'"),
        ("bi\u200bble.md", r"'bi\\u200bble\.md'"),
        ("bi\xadble.md", "not seen"),
        ("tag\U000e0041.md", r"\\U000e0041"),
        ("x" * 501, "more than 500"),
    ],
)
def test_a_bad_name_is_refused_with_its_rule(bad: str, rule: str) -> None:
    with pytest.raises(InvalidName, match=rule) as refused:
        document_name(bad)
    assert refused.value.code == "INVALID_NAME"


@pytest.mark.parametrize(
    "good",
    [
        "bible.pdf",
        "quests/harbour.md",
        "...",
        "a..b.md",
        "Elena: a life.txt",
        "日本.md",
        "می\u200cخواهم.md",
        "\U0001f469\u200d\U0001f680.md",
    ],
)
def test_a_good_name_stays(good: str) -> None:
    assert document_name(good) == good


@given(st.text())
def test_a_name_never_leads_anywhere_and_is_stable(name: str) -> None:
    try:
        kept = document_name(name)
    except InvalidName:
        return
    assert not set(kept.split("/")) & {"", ".", ".."}
    assert document_name(kept) == kept
    assert kept.encode().decode() == kept


def test_one_name_in_two_unicode_forms_is_one_name() -> None:
    name = "Café.md"
    assert document_name(unicodedata.normalize("NFD", name)) == document_name(unicodedata.normalize("NFC", name))


def test_a_name_that_is_spelt_with_marks_may_be_as_long_as_others() -> None:
    name = "ᾯ" * 500
    assert document_name(unicodedata.normalize("NFD", name)) == name


def test_of_a_name_of_megabytes_no_more_is_composed_than_tells_that_it_is_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes the square of the marks in a row, and no other thread runs meanwhile."""
    normalize = Mock(wraps=unicodedata.normalize)
    monkeypatch.setattr(source, "unicodedata", Mock(normalize=normalize, combining=unicodedata.combining))
    with pytest.raises(InvalidName, match="more than 500"):
        document_name("e\u0301\u0327" * 10_000)
    assert max(len(call.args[1]) for call in normalize.call_args_list) <= 2_001
    normalize.reset_mock()
    for marks in (1_000, 400):
        with pytest.raises(InvalidName, match="more than 500" if marks > 500 else "more than 30 accents"):
            document_name("e" + "\u0301\u0327" * (marks // 2))
    assert not normalize.called


@pytest.mark.parametrize("name", ["x" * 10**6, "\U000e0041" * 400, "x" * 501])
def test_what_is_no_name_is_shown_no_longer_than_one(name: str) -> None:
    refusal = too_large(name, 2**40)
    assert refusal is not None
    report = Given().admit(Source(name, b""))
    assert isinstance(report, DocumentReport)
    assert known_as(name) == refusal.name == report.name
    assert len(report.name) == 500
    assert report.name.endswith("…")
    assert len(refusal.message) < 1_000


def test_a_document_without_a_name_is_named_by_its_content() -> None:
    text, pdf, program = unnamed(b"# Elena\n"), unnamed(b"%PDF-1.4\n"), unnamed(b"MZ\0\0\1\2")
    assert text.name.endswith(".txt")
    assert pdf.name.endswith(".pdf")
    assert "." not in program.name
    assert unnamed(b"# Elena\n") == text
    assert unnamed(b"# Elias\n").name != text.name
    assert all(document_name(source.name) == source.name for source in (text, pdf, program))
