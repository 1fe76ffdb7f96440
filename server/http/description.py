"""What the application says of itself at /openapi.json and /docs: who is let in, and what everybody may be refused."""

from functools import cache
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse
from starlette.routing import Route

from server.access.rules import Access
from server.http.refusals import OF_A_TOKEN, OF_A_WORKSPACE, OF_EVERY_ROUTE, refusals

_BY_HEADER = {"type": "http", "scheme": "bearer", "description": "Authorization: Bearer TOKEN"}
_BY_ADDRESS = {"type": "apiKey", "in": "query", "name": "token", "description": "?token=TOKEN"}
_OPEN = ("/healthz",)


def name_of(route: APIRoute) -> str:
    """The name of a route's operation, which clients that are generated call it by."""
    return route.name


def describe(app: FastAPI, access: Access) -> None:
    """Makes the app's description say what its access rules do: tokens are asked for, or let somebody in at most."""

    @cache
    def written() -> bytes:
        return bytes(JSONResponse(_openapi(app, access)).body)

    async def answer(_: Request) -> Response:
        return Response(written(), media_type=JSONResponse.media_type)

    # Before FastAPI's own, which writes it anew for each who asks, strangers too.
    app.router.routes.insert(0, Route("/openapi.json", answer))


def _openapi(app: FastAPI, access: Access) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    document["components"]["securitySchemes"] = {"bearer": _BY_HEADER, "address": _BY_ADDRESS}
    for path, methods in document["paths"].items():
        for operation in methods.values():
            _describe(operation, access, is_open=path in _OPEN)
    return document


def _describe(operation: dict[str, Any], access: Access, *, is_open: bool) -> None:
    asked = not (is_open or access.is_open)
    if not is_open:
        operation["security"] = [{"bearer": []}, {"address": []}] + ([] if asked else [{}])
    codes = (*OF_EVERY_ROUTE, *(() if is_open else OF_A_WORKSPACE), *(OF_A_TOKEN if asked else ()))
    for status, answer in refusals(codes).items():
        _join(operation["responses"], str(status), answer)


def _join(responses: dict[str, Any], status: str, answer: dict[str, Any]) -> None:
    """Adds the codes of one status to those that the route itself has."""
    del answer["model"]
    content = answer["content"]["application/json"]
    content["schema"] = {"$ref": "#/components/schemas/ErrorAnswer"}
    known = responses.setdefault(status, answer)
    examples = known["content"]["application/json"]["examples"]
    examples |= content["examples"]
    known["description"] = ", ".join(f"`{code}`" for code in examples)
