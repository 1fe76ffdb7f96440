"""Reading in the documents: what a search finds, and the text as it is written, with numbers to cite."""

from typing import Annotated, Any

from pydantic import Field

from agent.reading.citations import Citations, described
from agent.reading.sources import Arguments, NotThere, Sources
from retrieval import Document, Page, Passage, SearchAnswer

# Each result stays in the conversation until the end of the turn, so a book comes in parts.
_PART_CHARACTERS = 16_000
_SEARCH_RESULTS = 6
_DOUBTS = {
    "weak": "These may not be about it: try other words, which the documents may use.",
    "none": "The documents probably do not say this: try other words once, and otherwise say so.",
}
_TEXT_ONLY = "Searched by the words of the query only: what says it in other words is not found just now."
# What a citation shows of what was read of a page; the page itself is at its number.
_SHOWN_OF_PAGE = 600


class SearchDocuments(Arguments):
    """Search the project's design documents. Returns numbered passages to cite, with document, pages, heading."""

    query: str = Field(max_length=10_000, description="what to look for, in words the documents may use")
    also: list[Annotated[str, Field(min_length=1, max_length=10_000)]] = Field(
        default_factory=list[str],
        max_length=2,
        description="the same in other words, up to twice; found is what fits any of them",
    )
    document: str | None = Field(None, max_length=1000, description="only in this document, by its name")


class ReadDocument(Arguments):
    """Read a design document's text as written: all of it, or the pages given. A long text comes in parts. Each page
    has a number to cite. pages_recognized are pictures read by text recognition: words may be misread.
    """

    document: str = Field(max_length=1000, description="the document's name")
    page_from: int | None = Field(None, ge=1, description="first physical page")
    page_to: int | None = Field(None, ge=1, description="last physical page")
    part: int = Field(1, ge=1, description="which part of a long text, from 1; the answer says how many there are")


def search_documents(sources: Sources, given: SearchDocuments) -> dict[str, Any]:
    """The best passages, each with the number that cites it, and whether they have an answer at all."""
    found, each = sources.retriever.answer_any(
        sources.project_key, [given.query, *given.also], k=_SEARCH_RESULTS, document=given.document
    )
    every = [sources.citations.number(ranked.passage, ranked.score, ranked.also_in) for ranked in found.passages]
    numbered = dict.fromkeys(every)  # two of them may be parts of one that was shown already
    answer: dict[str, Any] = {"relevance": found.relevance, "passages": [described(cited) for cited in numbered]}
    said = remark(found)
    return answer | ({"queries": each} if given.also else {}) | ({"remark": said} if said else {})


def remark(found: SearchAnswer) -> str:
    """What a model is told of a search whose passages may not have the answer; empty where there is nothing to say."""
    remarks = [_DOUBTS[found.relevance]] if found.relevance in _DOUBTS else []
    if found.text_only:
        remarks.append(_TEXT_ONLY)
    return " ".join(remarks)


def read_document(sources: Sources, given: ReadDocument) -> dict[str, Any]:
    """Pages, or the whole of a document without pages; one part of them, when they are long."""
    key, retriever, begin = sources.project_key, sources.retriever, (given.part - 1) * _PART_CHARACTERS
    characters = range(begin, begin + _PART_CHARACTERS)
    pages = retriever.read_pages(key, given.document, given.page_from, given.page_to, characters)
    document = retriever.document(key, given.document)
    length = sum(page.char_to - page.char_from for page in pages)
    parts = max(-(-length // _PART_CHARACTERS), 1)
    if given.part > parts:
        raise NotThere("PART_NOT_FOUND", f"There is no part {given.part}: this text has {parts}.")
    answer: dict[str, Any] = {
        "document": document.name,
        "pages": [_shown(sources.citations, document, page) for page in pages if page.text],
    }
    if parts > 1:
        answer |= {"part": given.part, "of_parts": parts}
        if given.part < parts:
            answer["cut"] = f"this is part {given.part} of {parts}; read on with part {given.part + 1}"
    shown = {page.number for page in pages}
    pictures = [number for number in document.pages_without_text if number in shown]
    if pictures:
        answer["pages_without_text"] = pictures
        answer["remark"] = "Those pages are pictures: nobody here can read them. Say so if they matter."
    recognized = [number for number in document.pages_recognized if number in shown]
    if recognized:
        answer["pages_recognized"] = recognized  # the tool's description says what that means
    return answer


def _shown(citations: Citations, document: Document, page: Page) -> dict[str, Any]:
    number = citations.number(_cited_page(document, page), 0.0).number
    return {"number": number, "page": page.number, "text": page.text}


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
