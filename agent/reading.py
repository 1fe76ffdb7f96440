"""The tools that read in the documents. They answer at once, without the client."""

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.citations import Citations
from retrieval import CorpusError, ProjectKey, Retriever

# A book would push everything else out of the model's context; a page range reads on.
_MAX_CHARACTERS = 40_000
_SEARCH_RESULTS = 6


class _Search(BaseModel):
    model_config = ConfigDict(extra="forbid")
    query: str
    document: str | None = None


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid")
    document: str
    page_from: int | None = Field(None, ge=1)
    page_to: int | None = Field(None, ge=1)


class DocumentReader:
    """Answers `search_documents` and `read_document` for one turn."""

    def __init__(self, retriever: Retriever, key: ProjectKey | None, citations: Citations) -> None:
        self._retriever = retriever
        self._key = key
        self._citations = citations

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Executes one tool call; what went wrong is an answer too, `{"error": {"code", "message"}}`."""
        if self._key is None:
            return {
                "error": {
                    "code": "PROJECT_NOT_FOUND",
                    "message": "The client has no project open, so there are no documents.",
                }
            }
        try:
            if tool == "search_documents":
                return await asyncio.to_thread(self._search, self._key, _Search.model_validate(arguments))
            return await asyncio.to_thread(self._read, self._key, _Read.model_validate(arguments))
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            return {"error": {"code": "INVALID_ARGUMENTS", "message": f"{tool}: {problems}"}}
        except CorpusError as error:
            return {"error": {"code": error.code, "message": str(error)}}

    def _search(self, key: ProjectKey, search: _Search) -> dict[str, Any]:
        found = self._retriever.search(key, search.query, k=_SEARCH_RESULTS, document=search.document)
        numbered = [self._citations.number(ranked.passage, ranked.score) for ranked in found]
        return {
            "passages": [
                {
                    "number": cited.number,
                    "document": cited.passage.document,
                    "pages": [cited.passage.page_from, cited.passage.page_to],
                    "heading": list(cited.passage.heading),
                    "text": cited.passage.text,
                }
                for cited in numbered
            ]
        }

    def _read(self, key: ProjectKey, read: _Read) -> dict[str, Any]:
        pages = self._retriever.read_pages(key, read.document, read.page_from, read.page_to)
        answer: dict[str, Any] = {"document": read.document, "pages": []}
        room = _MAX_CHARACTERS
        for page in pages:
            answer["pages"].append({"page": page.number, "text": page.text[:room]})
            room -= len(page.text)
            if room < 0:
                answer["cut"] = f"only the first {_MAX_CHARACTERS} characters are shown; read on with page_from"
                break
        return answer
