"""Reading in the documents: what a search finds, and the text as it is written, with numbers to cite."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agent.prompt.quoting import encodable
from agent.reading.citations import Citations
from retrieval import Document, Page, Passage, ProjectKey, ProjectNotFound, Retriever, SearchAnswer

# Each result stays in the conversation until the end of the turn, so a book comes in parts.
_PART_CHARACTERS = 16_000
_SEARCH_RESULTS = 6
_DOUBTS = {
    "weak": "These may not be about it: try other words, which the documents may use.",
    "none": "The documents probably do not say this: try other words once, and otherwise say so.",
}
_TEXT_ONLY = "Searched by the words of the query only: what says it in other words is not found just now."
# What a citation shows of a page; the page itself is at its number.
_SHOWN_OF_PAGE = 600


class NotThere(Exception):
    """What a call names does not exist; the text says what does."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SearchDocuments(BaseModel):
    """Arguments of `search_documents`."""

    model_config = ConfigDict(extra="forbid")
    query: str = Field(max_length=10_000, description="what to look for, in words the documents may use")
    document: str | None = Field(None, max_length=1000, description="only in this document, by its name")


class ReadDocument(BaseModel):
    """Arguments of `read_document`."""

    model_config = ConfigDict(extra="forbid")
    document: str = Field(max_length=1000, description="the document's name")
    page_from: int | None = Field(None, ge=1, description="first physical page")
    page_to: int | None = Field(None, ge=1, description="last physical page")
    part: int = Field(1, ge=1, description="which part of a long text, from 1; the answer says how many there are")


class DocumentReader:
    """Answers `search_documents` and `read_document` for one turn."""

    def __init__(self, retriever: Retriever, key: ProjectKey | None, citations: Citations) -> None:
        self._retriever = retriever
        self._key = key
        self._citations = citations

    def search(self, search: SearchDocuments) -> dict[str, Any]:
        """The best passages, each with the number that cites it, and whether they have an answer at all."""
        found = self._retriever.answer(self._project(), search.query, k=_SEARCH_RESULTS, document=search.document)
        numbered = [self._citations.number(ranked.passage, ranked.score, ranked.also_in) for ranked in found.passages]
        return {
            "relevance": found.relevance,
            "passages": [
                {
                    "number": cited.number,
                    "document": encodable(cited.passage.document),
                    "pages": [cited.passage.page_from, cited.passage.page_to],
                    "heading": [encodable(heading) for heading in cited.passage.heading],
                    "text": encodable(cited.passage.text),
                }
                | ({"also_in": [encodable(name) for name in cited.also_in]} if cited.also_in else {})
                for cited in numbered
            ],
        } | _remark(found)

    def read(self, read: ReadDocument) -> dict[str, Any]:
        """Pages, or the whole of a document without pages; one part of them, when they are long."""
        key = self._project()
        pages = self._retriever.read_pages(key, read.document, read.page_from, read.page_to)
        document = next(d for d in self._retriever.documents(key) if read.document in (d.name, d.id))
        length = sum(len(page.text) for page in pages)
        parts = max(-(-length // _PART_CHARACTERS), 1)
        if read.part > parts:
            raise NotThere("PART_NOT_FOUND", f"There is no part {read.part}: this text has {parts}.")
        answer: dict[str, Any] = {"document": encodable(document.name), "pages": self._part(document, pages, read.part)}
        if parts > 1:
            answer |= {"part": read.part, "of_parts": parts}
            if read.part < parts:
                answer["cut"] = f"this is part {read.part} of {parts}; read on with part {read.part + 1}"
        shown = {page.number for page in pages}
        pictures = [number for number in document.pages_without_text if number in shown]
        if pictures:
            answer["pages_without_text"] = pictures
            answer["remark"] = "Those pages are pictures: nobody here can read them. Say so if they matter."
        recognized = [number for number in document.pages_recognized if number in shown]
        if recognized:
            answer["pages_recognized"] = recognized  # the tool's description says what that means
        return answer

    def _project(self) -> ProjectKey:
        if self._key is None:
            raise ProjectNotFound("The client has no project open, so there are no documents.")
        return self._key

    def _part(self, document: Document, pages: Sequence[Page], part: int) -> list[dict[str, Any]]:
        begin, end = (part - 1) * _PART_CHARACTERS, part * _PART_CHARACTERS
        shown: list[dict[str, Any]] = []
        at = 0
        for page in pages:
            text = page.text[max(begin - at, 0) : max(end - at, 0)]
            at += len(page.text)
            if text:
                number = self._citations.number(_cited_page(document, page), 0.0).number
                shown.append({"number": number, "page": page.number, "text": encodable(text)})
        return shown


def _remark(found: SearchAnswer) -> dict[str, str]:
    remarks = [_DOUBTS[found.relevance]] if found.relevance in _DOUBTS else []
    if found.text_only:
        remarks.append(_TEXT_ONLY)
    return {"remark": " ".join(remarks)} if remarks else {}


def _cited_page(document: Document, page: Page) -> Passage:
    """A page as something that can be cited; its passages have ids of their own."""
    return Passage(
        id=f"{document.id}-{page.number or 0}",
        document_id=document.id,
        document=document.name,
        page_from=page.number,
        page_to=page.number,
        heading=(),
        char_from=page.char_from,
        char_to=page.char_to,
        text=page.text[:_SHOWN_OF_PAGE],
    )
