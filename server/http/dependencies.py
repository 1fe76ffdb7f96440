"""What routes get from the app: its services, the caller's project, and one form for every refusal."""

from typing import Annotated, cast

from fastapi import Path, Request
from starlette.responses import JSONResponse

from corpora import CorpusError, ProjectKey
from retrieval import PageNotDrawn
from server.http.refusals import status_of
from server.services import Services

# Only described here: `ProjectKey` is what refuses others.
_PROJECT_ID = Path(
    description="The number that Arrow gives the project, or any name of letters, digits, '_', '.' and '-'",
    examples=["1"],
    json_schema_extra={"pattern": r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", "maxLength": 64},
)


class RequestError(Exception):
    """A request that is refused: status, code, and a sentence that names the thing, the rule and the remedy."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


async def get_services(request: Request) -> Services:
    """The services of the app that serves `request`."""
    return cast("Services", request.app.state.services)


async def project_key(project_id: Annotated[str, _PROJECT_ID], request: Request) -> ProjectKey:
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
    status = status_of("PAGE_NOT_DRAWN" if isinstance(error, PageNotDrawn) else error.code)
    return error_response(status, error.code, error.message)
