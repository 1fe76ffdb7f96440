"""The ASGI application: routes, the socket, and one form for every error."""

import errno
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from itertools import chain
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Route

from corpora import CorpusError
from server.access.rules import Access, AccessMiddleware
from server.background.intake import NoRoomForDocuments
from server.closing import ClosingMiddleware
from server.http import (
    check_routes,
    corpus_routes,
    folder_routes,
    operation_routes,
    project_routes,
    text_routes,
    turn_routes,
)
from server.http.connected import HungUp
from server.http.dependencies import RequestError, corpus_error_response, error_response
from server.http.description import describe
from server.limits.body_limit import BodyLimitMiddleware
from server.limits.connection_limit import ConnectionLimit
from server.limits.turn_rate import TooManyTurns
from server.limits.turn_room import NoRoomForTurn
from server.limits.workspace_share import WorkspaceShareMiddleware
from server.problems import first_problems
from server.services import Services
from server.socket.endpoint import serve_socket
from server.version import VERSION

logger = logging.getLogger(__name__)

_ROUTES = (project_routes, corpus_routes, text_routes, folder_routes, turn_routes, check_routes, operation_routes)

_LONGEST_PATH = 200
_ALL_ADDRESSES = "All addresses and their methods are at /docs."
# pydantic's errors of a body that is not there, or was sent as something else than JSON.
_NO_JSON = ("missing", "model_attributes_type")

_DESCRIPTION = "The assistant for Arrow that has read the design documents."


def create_app(services: Services, access: Access, *, completes: bool = True) -> FastAPI:
    """The application of one server.

    Args:
        services: What it serves with; stays the caller's to close.
        access: Who may use it.
        completes: Repair and complete at the start what an earlier process left behind, and follow linked folders.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        if completes:
            services.embedding.start(services.catalog.every_project())
            services.folders.start()
        yield
        services.intake.end()
        services.drawing.end()
        services.asking.end()
        services.drives.end()
        services.scanning.end()
        services.listing.end()
        services.computing.end()
        services.embedding.end()
        services.retriever.end()
        await services.folders.close()
        await services.intake.close()
        await services.embedding.close()

    # Its documentation page brings its scripts along instead of loading them from elsewhere.
    app = FastAPIOffline(
        title="Fletcher",
        version=VERSION,
        description=_DESCRIPTION,
        lifespan=lifespan,
        redoc_url=None,
    )
    app.state.services = services
    rooms = {"json_room": services.json_room, "upload_room": services.upload_room}
    app.add_middleware(BodyLimitMiddleware, limits=services.limits, **rooms, form_files=services.form_files)
    app.add_middleware(WorkspaceShareMiddleware, services=services)
    app.add_middleware(AccessMiddleware, access=access, rounds=services.rounds)
    app.add_middleware(ClosingMiddleware)
    serve_client = _socket_of(services, access)
    for path in ("/ws/chat", "/"):  # `/` for clients that know only host and port
        app.add_api_websocket_route(path, serve_client)
    # Not included, which makes each route anew once a first request gets as far.
    app.router.routes.extend(chain.from_iterable(routes.router.routes for routes in _ROUTES))
    describe(app, access)
    _add_error_handlers(app)
    return app


def _socket_of(services: Services, access: Access):
    limit = ConnectionLimit(services.limits.connections, services.metrics)

    async def endpoint(websocket: WebSocket) -> None:
        await serve_socket(websocket, access, limit, services)

    return endpoint


def _methods(request: Request) -> list[str]:
    """What the path of the request can be asked with."""
    paths = [
        route for route in request.app.routes if isinstance(route, Route) and route.path_regex.match(request.url.path)
    ]
    return sorted({method for route in paths for method in route.methods or ()})


def _said(request: Request, error: HTTPException) -> str:
    """What an error of the router or of ours says: the thing, the rule and the remedy."""
    path = repr(request.url.path[:_LONGEST_PATH])
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        methods = " or ".join(_methods(request))
        return f"{path} is asked with {methods}, and not with {request.method}. {_ALL_ADDRESSES}"
    if error.status_code == HTTPStatus.NOT_FOUND:
        return f"No request over HTTP is answered at {path}. {_ALL_ADDRESSES}"
    return str(error.detail)


def _said_of_body(errors: Sequence[Any]) -> str:
    """What is wrong with a request; where nothing of its body could be read, what it should have been."""
    if any(error["loc"] == ("body",) and error["type"] in _NO_JSON for error in errors):
        return "The request has no JSON object: send one as its body, with the header Content-Type: application/json."
    return f"The request is not valid: {first_problems(errors)}."


def _let_go_of_the_body(errors: Sequence[Any]) -> None:
    """The trace of a rule of ours has FastAPI's frames, which have the body and these errors: all would stay."""
    for error in errors:
        if isinstance(cause := error.get("ctx", {}).get("error"), Exception):
            cause.__traceback__ = None


def _without_a_file(error: OSError) -> JSONResponse:
    """What is said where the system has no file for what was sent; raises the error if it is another one."""
    if error.errno == errno.ENOSPC:
        problem = "There is no room on the disk for temporary files; whoever runs the server has to make some."
        response = error_response(503, "STORAGE_ERROR", problem)
    elif error.errno in (errno.EMFILE, errno.ENFILE):
        response = error_response(503, "TOO_BUSY", "The server may open no more files; send it again in a few seconds.")
        response.headers["Retry-After"] = str(NoRoomForDocuments.retry_after_s)
    else:
        raise error
    logger.error("what was sent could not be kept in a file: %s", error.strerror)
    return response


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(RequestError)
    async def _refused(_request: Request, error: RequestError) -> JSONResponse:
        return error_response(error.status, error.code, str(error))

    @app.exception_handler(ClientDisconnect)
    async def _hung_up(request: Request, _error: ClientDisconnect) -> JSONResponse:
        return await _refused(request, HungUp())

    @app.exception_handler(TooManyTurns)
    async def _too_many(_request: Request, error: TooManyTurns) -> JSONResponse:
        response = error_response(429, error.code, str(error))
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    @app.exception_handler(CorpusError)
    async def _corpus(_request: Request, error: CorpusError) -> JSONResponse:
        return corpus_error_response(error)

    @app.exception_handler(NoRoomForDocuments)
    @app.exception_handler(NoRoomForTurn)
    async def _no_room(_request: Request, error: NoRoomForDocuments | NoRoomForTurn) -> JSONResponse:
        response = corpus_error_response(error)
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    @app.exception_handler(RequestValidationError)
    async def _invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        _let_go_of_the_body(error.errors())
        return error_response(422, "INVALID_REQUEST", _said_of_body(error.errors()))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        # Python's own names of these depend on its version.
        own = {413: "PAYLOAD_TOO_LARGE", 422: "INVALID_REQUEST", 503: "TOO_BUSY"}
        code = own.get(error.status_code) or HTTPStatus(error.status_code).name
        response = error_response(error.status_code, code, _said(request, error))
        response.headers.update(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:  # which one route answers, for all of the path
            response.headers["Allow"] = ", ".join(_methods(request))
        return response

    @app.exception_handler(OSError)
    async def _no_file(_request: Request, error: OSError) -> JSONResponse:
        return _without_a_file(error)

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return error_response(500, "INTERNAL", "Something went wrong in the server; its log has the details.")
