import pytest

from ingest.extracted import ReadError
from ingest.readers import read

DOCUMENT = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset238 Arial;}}
{\stylesheet{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}}
{\info{\author Nobody}}
\pard\plain\s1\outlinelevel0 People\par
\pard\plain\s2\outlinelevel1\b Elena\b0\par
\pard\plain She keeps the \'93lighthouse\'94 \u-10179?\u-8704? of {\f1 \'a3\'f3d\'9f}.\par
\pard {\pntext\f0 \'b7\tab}a lamp\par
{\pntext\f0 \'b7\tab}a rope\par
\trowd\intbl Name\cell Role\cell\row
\trowd\intbl Mara\cell keeper\cell\row
\pard\plain\s1\outlinelevel0 Places\par
\pard The harbour freezes.\par
{\*\shppict{\pict\pngblip 89504e47}}}"""


def test_headings_lists_tables_and_characters() -> None:
    extracted = read("bible.rtf", DOCUMENT)
    found = [(block.kind, block.level, extracted.text[block.char_from : block.char_to]) for block in extracted.blocks]
    assert found[:3] == [
        ("heading", 1, "People"),
        ("heading", 2, "Elena"),
        ("paragraph", 0, "She keeps the \u201clighthouse\u201d \N{GRINNING FACE} of Łódź."),
    ]
    assert ("table", 0, "Name | Role\nMara | keeper") in found
    assert found[-2:] == [("heading", 1, "Places"), ("paragraph", 0, "The harbour freezes.")]
    assert "Nobody" not in extracted.text
    assert (extracted.format, extracted.pages[0].number) == ("rtf", None)


def test_a_note_stands_where_its_number_does() -> None:
    noted = rb"{\rtf1\ansi Elena{\super\chftn{\footnote\ftnalt\pard{\super\chftn} She never lies.}} keeps it.\par}"
    assert read("bible.rtf", noted).text == "Elena She never lies. keeps it."


def test_a_document_without_words_is_empty() -> None:
    with pytest.raises(ReadError) as refused:
        read("bible.rtf", rb"{\rtf1\ansi\par\par}")
    assert refused.value.code == "EMPTY"


def test_a_document_that_ends_too_early_gives_what_it_has() -> None:
    assert read("bible.rtf", rb"{\rtf1\ansi Elena {\b keeps").text == "Elena keeps"
