"""What routes get from the app: its services, the caller's project, and one form for every refusal."""

from typing import cast

from fastapi import Request
from starlette.responses import JSONResponse

from corpora import (
    CorpusError,
    DocumentNotFound,
    DocumentOfFolder,
    FolderNotFound,
    InvalidName,
    OriginalNotFound,
    ProjectKey,
    ProjectNotFound,
)
from ingest import FolderNotAllowed, FolderUnusable
from retrieval import EmptyQuery, NoPages, PageNotDrawn, PageNotFound, PassageNotFound
from server.services import Services

_STATUS: dict[type[CorpusError], int] = {
    ProjectNotFound: 404,
    DocumentNotFound: 404,
    DocumentOfFolder: 409,
    FolderNotFound: 404,
    FolderNotAllowed: 403,
    FolderUnusable: 422,
    OriginalNotFound: 404,
    NoPages: 404,
    PageNotFound: 404,
    PageNotDrawn: 422,
    PassageNotFound: 404,
    InvalidName: 422,
    EmptyQuery: 422,
}


class RequestError(Exception):
    """A request that is refused: status, code, and a sentence that names the thing, the rule and the remedy."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


async def get_services(request: Request) -> Services:
    """The services of the app that serves `request`."""
    return cast("Services", request.app.state.services)


async def project_key(project_id: str, request: Request) -> ProjectKey:
    """The project of the path, in the workspace that the request's token opens.

    Raises:
        InvalidName: The project id cannot be one.
    """
    return ProjectKey(request.state.workspace, project_id)


async def is_owner(request: Request) -> bool:
    """Whether the request has shown the key of the data directory's owner file, as the command line does."""
    return request.state.is_owner


def error_response(status: int, code: str, message: str) -> JSONResponse:
    """`{"error": {"code", "message"}}`."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)


def corpus_error_response(error: CorpusError) -> JSONResponse:
    """A corpus error with its HTTP status."""
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 503)
    return error_response(status, error.code, error.message)
