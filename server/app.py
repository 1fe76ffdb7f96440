"""The ASGI application: routes, the socket, and one form for every error."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version

from fastapi import Depends, FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from corpora import CorpusError
from server import corpus_routes, folder_routes, operation_routes, text_routes, turn_routes
from server.access import Access, AccessMiddleware
from server.body_limit import BodyLimitMiddleware
from server.connection_limit import ConnectionLimit
from server.dependencies import RequestError, corpus_error_response, error_response
from server.problems import first_problems
from server.services import Services
from server.socket import serve_socket
from server.turn_rate import TooManyTurns

logger = logging.getLogger(__name__)


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
        await services.folders.close()
        await services.intake.close()
        await services.embedding.close()

    # Its documentation page brings its scripts along instead of loading them from elsewhere.
    app = FastAPIOffline(title="Fletcher", version=version("fletcher"), lifespan=lifespan, redoc_url=None)
    app.state.services = services
    app.add_middleware(BodyLimitMiddleware, limits=services.limits)
    app.add_middleware(AccessMiddleware, access=access)
    token = Depends(HTTPBearer(auto_error=False))  # only so that the documentation page can send one
    for routes in (corpus_routes, text_routes, folder_routes, turn_routes, operation_routes):
        app.include_router(routes.router, dependencies=[token])
    serve_client = _socket_of(services, access)
    for path in ("/ws/chat", "/"):  # `/` for clients that know only host and port
        app.add_api_websocket_route(path, serve_client)
    _add_error_handlers(app)
    return app


def _socket_of(services: Services, access: Access):
    limit = ConnectionLimit(services.limits.connections, services.metrics)

    async def endpoint(websocket: WebSocket) -> None:
        await serve_socket(websocket, access, limit, services)

    return endpoint


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(RequestError)
    async def _refused(_request: Request, error: RequestError) -> JSONResponse:
        return error_response(error.status, error.code, str(error))

    @app.exception_handler(TooManyTurns)
    async def _too_many(_request: Request, error: TooManyTurns) -> JSONResponse:
        response = error_response(429, error.code, str(error))
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    @app.exception_handler(CorpusError)
    async def _corpus(_request: Request, error: CorpusError) -> JSONResponse:
        return corpus_error_response(error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(422, "INVALID_REQUEST", f"The request is not valid: {first_problems(error.errors())}.")

    @app.exception_handler(HTTPException)
    async def _http(_request: Request, error: HTTPException) -> JSONResponse:
        # Python's own names of these depend on its version.
        own = {413: "PAYLOAD_TOO_LARGE", 422: "INVALID_REQUEST", 503: "TOO_BUSY"}
        code = own.get(error.status_code) or HTTPStatus(error.status_code).name
        response = error_response(error.status_code, code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return error_response(500, "INTERNAL", "Something went wrong in the server; its log has the details.")
