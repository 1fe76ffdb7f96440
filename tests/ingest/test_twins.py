"""The same document in two formats, through the real readers: one source for a search, both named."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import docx
import pymupdf
import pytest

from corpora import ProjectKey
from ingest import Source

if TYPE_CHECKING:
    from tests.ingest.conftest import Pipeline

CHAPTERS = {
    "The lamp room": "Elena keeps the lighthouse above the inland sea. The lamp burns rapeseed oil, of which the "
    "guild sends nine barrels at Michaelmas. When the oil is late she burns the pews of the chapel, one by one, and "
    "writes the number down in the ledger that her grandmother began.",
    "The harbourmaster": "Tomas counts the boats that come home. He has a wooden leg, two daughters and a letter that "
    "he has never opened. On the night of the flood he rang the bell until the rope broke, and nobody came, because "
    "the whole town was dancing in the granary on the hill.",
    "The night carters": "The night carters cross the dry sea bed with lanterns hooded. They pay no toll. Their wagons "
    "have no iron on them, since iron sings on the salt, and what sings is heard by the herons, who remember a debt.",
}
QUESTION = "What does Elena burn when the oil is late?"


def as_docx() -> bytes:
    document, file = docx.Document(), BytesIO()
    for title, text in CHAPTERS.items():
        document.add_heading(title, 1)
        document.add_paragraph(text)
    document.save(file)
    return file.getvalue()


def as_pdf() -> bytes:
    """A chapter a page, in narrow lines with hyphens at their ends, below a running header and above a number."""
    document = pymupdf.open()
    for number, (title, text) in enumerate(CHAPTERS.items(), start=1):
        page = document.new_page()
        page.insert_text((72, 40), "The Inland Light, draft 3", fontsize=8)
        page.insert_text((290, 820), str(number), fontsize=8)
        page.insert_text((72, 90), title, fontsize=18)
        hyphenated = text.replace("lighthouse", "light-\nhouse").replace("daughters", "daugh-\nters")
        page.insert_textbox((72, 110, 300, 700), hyphenated, fontsize=11)
    return document.tobytes()


def as_markdown() -> bytes:
    return "\n\n".join(f"# {title}\n\n{text}" for title, text in CHAPTERS.items()).encode()


BIBLES = [Source("bible.docx", as_docx()), Source("bible.pdf", as_pdf()), Source("notes/bible.md", as_markdown())]


def test_a_passage_is_found_once_with_its_page_and_all_its_documents(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, BIBLES)
    found = pipeline.retriever.search(key, QUESTION, k=9)
    assert {one.passage.document for one in found} == {"bible.pdf"}
    assert sorted(one.passage.page_from or 0 for one in found) == [1, 2, 3]
    assert all(one.also_in == ("bible.docx", "notes/bible.md") for one in found)
    answer = pipeline.retriever.answer(key, QUESTION).as_dict()
    assert answer["passages"][0]["also_in"] == ["bible.docx", "notes/bible.md"]
    (cited, *_) = pipeline.retriever.retrieve(key, QUESTION, 500).passages
    assert (cited.passage.document, cited.also_in) == ("bible.pdf", ("bible.docx", "notes/bible.md"))


def test_a_twin_that_is_asked_for_answers_and_names_the_others(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.index(key, BIBLES)
    found = pipeline.retriever.search(key, QUESTION, k=9, document="bible.docx")
    assert len(found) == len(CHAPTERS)
    assert {(one.passage.document, one.also_in) for one in found} == {("bible.docx", ("bible.pdf", "notes/bible.md"))}


@pytest.mark.parametrize("gone", ["bible.pdf", "bible.docx"])
def test_when_one_twin_goes_the_other_is_found(pipeline: Pipeline, key: ProjectKey, gone: str) -> None:
    pipeline.ingestor.index(key, BIBLES[:2])
    assert pipeline.retriever.search(key, QUESTION)
    pipeline.ingestor.remove(key, gone)
    (left,) = {source.name for source in BIBLES[:2]} - {gone}
    found = pipeline.retriever.search(key, QUESTION, k=9)
    assert [(one.passage.document, one.also_in) for one in found] == [(left, ())] * len(CHAPTERS)
    pipeline.assert_consistent(key)


def test_two_versions_that_contradict_each_other_are_both_found(pipeline: Pipeline, key: ProjectKey) -> None:
    later = as_markdown().replace(b"nine barrels", b"six barrels")
    pipeline.ingestor.index(key, [BIBLES[1], Source("later.md", later)])
    found = pipeline.retriever.search(key, "How many barrels of oil does the guild send?", k=9)
    said = {one.passage.document: one for one in found if "barrels" in one.passage.text}
    assert said.keys() == {"bible.pdf", "later.md"}
    assert all(one.also_in == () for one in said.values())
    assert len(found) == len(CHAPTERS) + 1


def test_pages_that_are_pictures_are_named_with_what_was_found(pipeline: Pipeline, key: ProjectKey) -> None:
    with pymupdf.open(stream=as_pdf(), filetype="pdf") as document:
        document.new_page()
        data = document.tobytes()
    pipeline.ingestor.index(key, [Source("bible.pdf", data), Source("rules.md", b"The tide turns at noon.")])
    answer = pipeline.retriever.answer(key, QUESTION).as_dict()
    assert answer["pages_without_text"] == [{"document": "bible.pdf", "pages": [4]}]
    assert "pages_without_text" not in pipeline.retriever.answer(key, "When does the tide turn?", 1).as_dict()
    asked = pipeline.retriever.answer(key, "tide", document="bible.pdf")
    assert asked.pages_without_text == {"bible.pdf": (4,)}
