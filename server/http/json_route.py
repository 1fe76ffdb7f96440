"""Routes whose JSON bodies are read within the limits of socket messages."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, model_validator
from starlette.exceptions import HTTPException

from agent import in_thread_if_large
from server.json_text import JsonError, read_object, refuse_crowded_story
from server.limits.story_size import size_of_values
from server.problems import first_names

_READ_AT_ONCE = 2_000  # bytes, some tenths of a millisecond


class Body(BaseModel):
    """A JSON body, or a part of one, in which a misspelled key is an error."""

    # Not `forbid`, which makes one error of each key, and remembers all of them.
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, value: Any) -> Any:
        if isinstance(value, dict) and (unknown := value.keys() - cls.model_fields.keys()):
            raise ValueError(f"there is no {first_names(unknown)}; known are {', '.join(cls.model_fields)}")
        return value


class JsonRoute(APIRoute):
    """A route whose handler gets a `JsonRequest`, and whose answer leaves out what has nothing to say."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"response_model_exclude_unset": True})

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own handler, with a request that reads JSON as we do."""
        handle = super().get_route_handler()

        async def handle_json(request: Request) -> Response:
            return await handle(JsonRequest(request.scope, request.receive))

        return handle_json


class JsonRequest(Request):
    """A request whose body is read as what a client sends over the socket is."""

    async def json(self) -> dict[str, Any]:
        """The JSON object of the body.

        Raises:
            HTTPException: 422, it is none or has too many values; 503, there is no room for them.
        """
        body = await self.body()
        # As many may be whole at once, and what is short is looked at on the event loop.
        await self.app.state.services.rounds.wait(self.state.workspace)
        self.state.weigh(await in_thread_if_large(len(body), size_of_values, body))
        try:
            if len(body) < _READ_AT_ONCE:
                return _read(body)
            pace = self.app.state.services.paces[self.state.workspace]
            return await pace.read(partial(_read, body), times=2)  # what FastAPI makes of it takes about as long again
        except JsonError as error:
            # The kind of error that FastAPI lets through while it reads a body.
            raise HTTPException(422, str(error)) from error


def _read(body: bytes) -> dict[str, Any]:
    try:
        fields = read_object(body.decode(), "The body")
    except UnicodeDecodeError as error:
        raise JsonError("The body must be one JSON object, and this is not UTF-8.") from error
    refuse_crowded_story(fields.get("arrow_content"), "The body: arrow_content")
    return fields
