"""The corpus over HTTP: upload, list, remove, search, and a page as a picture."""

import binascii
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response, UploadFile
from fastapi.responses import JSONResponse
from pydantic import Field, ValidationError, model_validator

from agent import in_thread
from corpora import ProjectKey
from ingest import DocumentReport, Refusal, Source, known_as, too_large
from server.base64_content import decode_base64, decoded_size
from server.dependencies import RequestError, get_services, project_key
from server.json_route import Body, JsonRoute
from server.problems import first_names, first_problems
from server.services import Services

router = APIRouter(prefix="/projects/{project_id}", tags=["corpus"], route_class=JsonRoute)

Key = Annotated[ProjectKey, Depends(project_key)]
Parts = Annotated[Services, Depends(get_services)]

_MOST_DOCUMENTS = 10_000
_FIELDS = "Send the documents as files in fields named 'files', and beside them at most 'replace'."


class DocumentUpload(Body):
    """One document of a corpus request: its bytes as base64, or its text."""

    name: str
    content_base64: str | None = None
    text: str | None = None

    @model_validator(mode="after")
    def _one_content(self) -> "DocumentUpload":
        if (self.content_base64 is None) == (self.text is None):
            raise ValueError("a document needs either content_base64 or text")
        return self

    def source(self) -> Source | Refusal:
        """The document as ingest takes it; bytes that are no base64 become a failed entry of the report."""
        content = self.content_base64 or ""
        size = decoded_size(content) if self.text is None else len(self.text)
        if refusal := too_large(self.name, size):
            return refusal
        if self.text is not None:
            return Source(self.name, self.text.encode())
        try:
            return Source(self.name, decode_base64(content))
        except binascii.Error:
            name = known_as(self.name)
            message = f"{name}: content_base64 is not base64; send the file's bytes encoded as base64."
            return Refusal(name, "failed", "INVALID_BASE64", message)


class CorpusUpload(Body):
    """`replace`: the request is the whole corpus, and what it lacks is removed."""

    documents: Annotated[list[DocumentUpload], Field(max_length=_MOST_DOCUMENTS)]
    replace: bool = False


@router.post("/corpus", summary="Add documents to the corpus", response_model=dict[str, Any])
async def add_documents(request: Request, key: Key, services: Parts, wait: bool = False) -> Response:
    """JSON or multipart `files`; answers when all are searchable, or with `wait` when all are indexed.

    Where the vector store is away, they are `searchable` also with `wait`, and their vectors follow.
    """
    sources, replace = await _sources(request)
    if wait:
        report = await services.intake.index(key, sources, services.embedding, replace=replace)
    else:
        report = await services.intake.add(key, sources, replace=replace)
        services.embedding.submit(key)
    return await in_thread(lambda: JSONResponse(report.as_dict()))


@router.get("/documents", summary="The documents of the corpus", response_model=dict[str, Any])
async def list_documents(key: Key, services: Parts) -> Response:
    """The entries as in an ingest report."""

    def answer() -> Response:
        documents = services.retriever.documents(key)
        return JSONResponse({"documents": [DocumentReport.listed(document).as_dict() for document in documents]})

    return await services.asking.run(key.workspace, answer)


@router.delete("/documents/{document:path}", summary="Remove a document")
async def remove_document(document: str, key: Key, services: Parts) -> dict[str, Any]:
    """By id or name; its passages are gone from search at once."""
    removed = await services.asking.run(key.workspace, partial(services.ingestor.remove, key, document))
    return {"documents": [removed.as_dict()]}


@router.get("/search", summary="Ranked passages", response_model=dict[str, Any])
async def search(
    key: Key,
    services: Parts,
    q: str,
    k: Annotated[int, Query(ge=1, le=100)] = 8,
    document: str | None = None,
) -> Response:
    """Hybrid search; `document` is a name or an id."""

    def answer() -> Response:
        return JSONResponse(services.retriever.answer(key, q, k, document).as_dict())

    return await services.asking.run(key.workspace, answer)


@router.get("/documents/{document:path}/pages/{page}.png", summary="A page as a picture", response_class=Response)
async def page_picture(document: str, page: int, key: Key, services: Parts, passage: str | None = None) -> Response:
    """PNG; `passage` highlights that passage."""
    draw = partial(services.retriever.page_picture, key, document, page, passage)
    png = await services.drawing.run(key.workspace, draw)
    return Response(png, media_type="image/png")


async def _sources(request: Request) -> tuple[list[Source | Refusal], bool]:
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        form = await request.form(max_files=_MOST_DOCUMENTS)
        files = [file for file in form.getlist("files") if not isinstance(file, str)]
        if not files:
            raise RequestError(422, "INVALID_REQUEST", f"The form has no files. {_FIELDS}")
        if unknown := form.keys() - {"files", "replace"}:
            problem = f"The form has fields that are not known: {first_names(unknown)}."
            raise RequestError(422, "INVALID_REQUEST", f"{problem} {_FIELDS}")
        replace = str(form.get("replace", "false")).lower() in ("true", "1", "yes")
        return [await _uploaded(file) for file in files], replace
    try:
        upload = await in_thread(CorpusUpload.model_validate, await request.json())
    except ValidationError as error:
        problems = first_problems(error.errors(include_url=False, include_context=False, include_input=False))
        raise RequestError(422, "INVALID_REQUEST", f"The corpus request is not valid: {problems}.") from error
    return await in_thread(lambda: [document.source() for document in upload.documents]), upload.replace


async def _uploaded(file: Any) -> Source | Refusal:
    upload: UploadFile = file
    name = upload.filename or ""
    return too_large(name, upload.size or 0) or Source(name, await upload.read())
