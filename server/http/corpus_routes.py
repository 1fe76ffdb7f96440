"""The corpus over HTTP: upload, list, remove, search, and a page as a picture."""

import asyncio
import binascii
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response, UploadFile
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, Field, StrictBool, ValidationError, model_validator
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException

from agent import in_thread
from corpora import ProjectKey
from ingest import (
    DocumentReport,
    Progress,
    ProgressListener,
    Refusal,
    Source,
    Unread,
    enough_of_name,
    known_as,
    too_large,
)
from server.http.answers import CorpusReport, DocumentList, SearchFound
from server.http.base64_content import decode_base64, decoded_size
from server.http.connected import while_connected
from server.http.dependencies import RequestError, get_services, project_key
from server.http.description import name_of
from server.http.event_stream import EVENT_STREAM, Told, streamed
from server.http.form import Form
from server.http.json_route import Body, JsonRoute
from server.http.refusals import OF_A_BODY, OF_A_PROJECT, OF_A_SEARCH, refusals
from server.limits.pace import Pace
from server.problems import first_names, first_problems
from server.services import Services


class _NameConvertor(StringConvertor):
    """A document by name or id: any characters, also slashes and line breaks."""

    regex = r"(?s:.+)"


class _DocumentConvertor(StringConvertor):
    """The same, where the picture of a page is not a document."""

    regex = r"(?s:(?!.*/pages/[^/]*\.png\Z).+)"


register_url_convertor("name", _NameConvertor())
register_url_convertor("document", _DocumentConvertor())

router = APIRouter(
    prefix="/projects/{project_id}", tags=["corpus"], route_class=JsonRoute, generate_unique_id_function=name_of
)

# What is blank for `str.strip`, in the words of JavaScript's expressions, which are JSON Schema's.
_NOT_BLANK = r"[^\s\x1c-\x1f\x85]|\ufeff"
_QUERY = Query(
    description="What to look for",
    max_length=5_000,  # the head of a request has room for so many, whichever they are
    json_schema_extra={"pattern": _NOT_BLANK},
    examples=["lighthouse"],
)
Key = Annotated[ProjectKey, Depends(project_key)]
Parts = Annotated[Services, Depends(get_services)]

_MOST_DOCUMENTS = 10_000
_MOST_FIELDS = 100  # what is no file is kept in memory as text
_FIELDS = "Send the documents as files in fields named 'files', and beside them at most 'replace'."


class DocumentUpload(Body):
    """One document of a corpus request: its bytes as base64, or its text."""

    name: Annotated[str, AfterValidator(enough_of_name)]
    content_base64: str = ""
    text: str = ""

    @model_validator(mode="after")
    def _one_content(self) -> "DocumentUpload":
        if self._is_text == ("content_base64" in self.model_fields_set):
            raise ValueError("a document needs either content_base64 or text")
        return self

    @property
    def _is_text(self) -> bool:
        return "text" in self.model_fields_set

    @property
    def held(self) -> int:
        """How many bytes it has in memory."""
        return sys.getsizeof(self.text) + sys.getsizeof(self.content_base64)

    def source(self) -> Source | Refusal:
        """The document as ingest takes it; bytes that are no base64 become a failed entry of the report."""
        size = len(self.text) if self._is_text else decoded_size(self.content_base64)
        if refusal := too_large(self.name, size):
            return refusal
        if self._is_text:
            return Source(self.name, self.text.encode())
        try:
            return Source(self.name, decode_base64(self.content_base64))
        except binascii.Error:
            name = known_as(self.name)
            message = f"{name}: content_base64 is not base64; send the file's bytes encoded as base64."
            return Refusal(name, "failed", "INVALID_BASE64", message)


class CorpusUpload(Body):
    """`replace`: the request is the whole corpus, and what it lacks is removed."""

    documents: Annotated[list[DocumentUpload], Field(max_length=_MOST_DOCUMENTS)]
    replace: StrictBool = False


_NAMED = {"type": "string", "description": "A path below the corpus, such as quests/ferry.md"}
_JSON: dict[str, Any] = {
    "type": "object",
    "title": "CorpusUpload",
    "required": ["documents"],
    "additionalProperties": False,
    "properties": {
        "documents": {
            "type": "array",
            "maxItems": _MOST_DOCUMENTS,
            "items": {
                "oneOf": [
                    {
                        "type": "object",
                        "title": title,
                        "required": ["name", field],
                        "additionalProperties": False,
                        "properties": {"name": _NAMED, field: {"type": "string", "description": what}},
                    }
                    for title, field, what in (
                        ("TextDocument", "text", "What is in it"),
                        ("Base64Document", "content_base64", "The file's bytes as base64"),
                    )
                ]
            },
        },
        "replace": {"type": "boolean", "default": False, "description": "Remove what the request lacks"},
    },
}
_FORM: dict[str, Any] = {
    "type": "object",
    "title": "CorpusForm",
    "required": ["files"],
    "additionalProperties": False,
    "properties": {
        "files": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "string", "format": "binary", "contentMediaType": "application/octet-stream"},
        },
        "replace": {"type": "boolean", "default": False, "description": "Remove what the request lacks"},
    },
}
# By hand, as FastAPI would read the body itself to know which of the two it is.
_BODY = {
    "required": True,
    "content": {
        "application/json": {
            "schema": _JSON,
            "examples": {
                "text": {"value": {"documents": [{"name": "people.md", "text": "Elena keeps the light."}]}},
                "bytes": {"value": {"documents": [{"name": "pier.txt", "content_base64": "VGhlIHBpZXIu"}]}},
            },
        },
        "multipart/form-data": {
            "schema": _FORM,
            "examples": {"files": {"value": {"files": ["Elena keeps the light."], "replace": False}}},
        },
    },
}


_FIRST = {"project_id": "$request.path.project_id", "document": "$response.body#/documents/0/id"}
_LINKS = {
    "remove": {"operationId": "remove_document", "parameters": _FIRST},
    "picture": {"operationId": "page_picture", "parameters": _FIRST | {"page": 1}},
    "search": {"operationId": "search", "parameters": _FIRST},
}


@router.post(
    "/corpus",
    summary="Add documents to the corpus",
    response_model=CorpusReport,
    responses={200: {"links": _LINKS, "content": {EVENT_STREAM: {"schema": {"type": "string"}}}}}
    | refusals(("BAD_REQUEST", *OF_A_PROJECT, *OF_A_BODY, *OF_A_SEARCH)),
    openapi_extra={"requestBody": _BODY},
)
async def add_documents(request: Request, key: Key, services: Parts, wait: bool = False) -> Response:
    """JSON or multipart `files`; answers when all are searchable, or with `wait` when all are indexed.

    Where the vector store is away, they are `searchable` also with `wait`, and their vectors follow. With
    `Accept: text/event-stream` it is told while it happens: `progress`, and at last `answer`, or `error`.
    """
    sources, replace = await _sources(request, services.paces[key.workspace])

    async def take_in(told: Told | None = None) -> dict[str, Any]:
        listen = None if told is None else _listener(told.tell)
        take = services.intake.index if wait else services.intake.add
        report = await take(key, sources, replace=replace, progress=listen)
        return await in_thread(report.as_dict)

    if EVENT_STREAM in request.headers.get("accept", ""):  # whoever hangs up has sent its documents all the same
        return await streamed(request, take_in, to_its_end=True)
    return await in_thread(JSONResponse, await take_in())


@router.get(
    "/documents",
    summary="The documents of the corpus",
    response_model=DocumentList,
    responses={200: {"links": _LINKS}} | refusals(("PROJECT_NOT_FOUND", *OF_A_PROJECT)),
)
async def list_documents(key: Key, services: Parts) -> Response:
    """The entries as in an ingest report."""

    def answer() -> Response:
        documents = services.retriever.documents(key)
        return JSONResponse({"documents": [DocumentReport.listed(document).as_dict() for document in documents]})

    return await services.listing.run(key.workspace, answer)


@router.delete(
    "/documents/{document:document}",
    summary="Remove a document",
    response_model=DocumentList,
    responses=refusals(("PROJECT_NOT_FOUND", "DOCUMENT_NOT_FOUND", "DOCUMENT_OF_FOLDER", *OF_A_PROJECT)),
)
async def remove_document(document: str, request: Request, key: Key, services: Parts) -> dict[str, Any]:
    """By id or name; its passages are gone from search at once."""
    removed = await while_connected(request, services.intake.remove(key, document))
    return {"documents": [removed.as_dict()]}


@router.get(
    "/search",
    summary="Ranked passages",
    response_model=SearchFound,
    responses=refusals(
        ("PROJECT_NOT_FOUND", "DOCUMENT_NOT_FOUND", "EMPTY_QUERY", "INVALID_REQUEST", *OF_A_PROJECT, *OF_A_SEARCH)
    ),
)
async def search(
    key: Key,
    services: Parts,
    q: Annotated[str, _QUERY],
    k: Annotated[int, Query(ge=1, le=100)] = 8,
    document: str | None = None,
) -> Response:
    """Hybrid search; `document` is a name or an id."""

    def answer() -> Response:
        return JSONResponse(services.retriever.answer(key, q, k, document).as_dict())

    return await services.asking.run(key.workspace, answer)


@router.get(
    "/documents/{document:name}/pages/{page}.png",
    summary="A page as a picture",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}, "description": "The page"}}
    | refusals(
        (
            "PROJECT_NOT_FOUND",
            "DOCUMENT_NOT_FOUND",
            "ORIGINAL_NOT_FOUND",
            "NO_PAGES",
            "PAGE_NOT_FOUND",
            "PASSAGE_NOT_FOUND",
            "PAGE_NOT_DRAWN",
            "INVALID_REQUEST",
            *OF_A_PROJECT,
        )
    ),
)
async def page_picture(document: str, page: int, key: Key, services: Parts, passage: str | None = None) -> Response:
    """PNG; `passage` highlights that passage."""
    draw = partial(services.retriever.page_picture, key, document, page, passage)
    png = await services.drawing.run(key.workspace, draw)
    return Response(png, media_type="image/png")


def _listener(tell: Callable[[Progress], Awaitable[None]]) -> ProgressListener:
    """What may be called in a thread as well."""
    loop = asyncio.get_running_loop()

    def listen(event: Progress) -> None:
        loop.call_soon_threadsafe(asyncio.ensure_future, tell(event))

    return listen


async def _sources(request: Request, pace: Pace) -> tuple[list[Unread], bool]:
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        try:
            parser = Form(request, pace, max_files=_MOST_DOCUMENTS, max_fields=_MOST_FIELDS)
            form = await parser.parse()
        except MultiPartException as error:
            raise HTTPException(400, f"{error.message} {_FIELDS}") from error
        if not parser.is_whole:  # as of a client that ended early; with `replace`, what has not come would be removed
            raise HTTPException(400, f"The form breaks off before its closing boundary. {_FIELDS}")
        files = [file for file in form.getlist("files") if not isinstance(file, str)]
        if not files:
            raise RequestError(422, "INVALID_REQUEST", f"The form has no files. {_FIELDS}")
        if unknown := form.keys() - {"files", "replace"}:
            problem = f"The form has fields that are not known: {first_names(unknown)}."
            raise RequestError(422, "INVALID_REQUEST", f"{problem} {_FIELDS}")
        return [_uploaded(file) for file in files], _flag(form.get("replace", "false"))
    try:
        upload = await in_thread(CorpusUpload.model_validate, await request.json())
    except ValidationError as error:
        problems = first_problems(error.errors(include_url=False, include_context=False, include_input=False))
        raise RequestError(422, "INVALID_REQUEST", f"The corpus request is not valid: {problems}.") from error
    return [Unread(each.name, each.source, each.held) for each in upload.documents], upload.replace


def _flag(value: Any) -> bool:
    if value not in ("true", "false"):
        raise RequestError(422, "INVALID_REQUEST", f"The form's field 'replace' is neither true nor false. {_FIELDS}")
    return value == "true"


def _uploaded(file: Any) -> Unread:
    upload: UploadFile = file
    name, size, content = upload.filename or "", upload.size or 0, upload.file
    # A longer one is on the disk, as a file that is open, of which there may not be many either.
    held = min(size, Form.spool_max_size)
    return Unread(name, lambda: too_large(name, size) or Source(name, content.read()), held, size)
