"""The tools that read: what each is for, what it is given, and who answers it, in one table."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, cast

from pydantic import ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from agent.continuity import CheckContinuity, check_continuity
from agent.prompt.quoting import encodable
from agent.reading.document_reading import ReadDocument, SearchDocuments, read_document, search_documents
from agent.reading.sources import Arguments, NotThere, Sources
from agent.reading.story_reading import (
    FindNodes,
    GetNode,
    GetScene,
    ListCharacters,
    ListVariables,
    find_nodes,
    get_node,
    get_scene,
    list_characters,
    list_variables,
)
from agent.turn.request import NO_STORY
from agent.turn.thread import ask_store, ask_store_until_cancelled, in_thread_until_cancelled
from arrow_project import GoOn
from retrieval import CorpusError

_Answer = dict[str, Any]
_Reading = Callable[[Sources, Any], Awaitable[_Answer]]


class ReadingTool(NamedTuple):
    """What a model is told of a tool that reads."""

    description: str
    parameters: dict[str, Any]


class TurnReader(Sources):
    """Answers the reading tools of one turn, at once and without the client.

    Of a task that is cancelled nothing reads in its story any more when it has ended.
    """

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Executes one call; what went wrong is an answer too, `{"error": {"code", "message"}}`."""
        kind, read = _TOOLS[tool]
        try:
            return await read(self, kind.model_validate(arguments))
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            return _error("INVALID_ARGUMENTS", f"{tool}: {problems}")
        except (CorpusError, NotThere) as error:
            return _error(error.code, str(error))


def _from_documents(answer: Callable[[Sources, Any], _Answer]) -> _Reading:
    """Only waits for a store: whoever is stopped need not wait for it, so the story has no part in it."""

    async def read(sources: Sources, given: Any) -> _Answer:
        asked = Sources(sources.retriever, sources.key, sources.citations, NO_STORY)
        return await ask_store(lambda: _encodable(answer(asked, given)))

    return read


def _from_story(
    answer: Callable[[Sources, Any, GoOn], _Answer],
    until_cancelled: Callable[[Callable[[GoOn], _Answer]], Awaitable[_Answer]] = in_thread_until_cancelled,
) -> _Reading:
    async def read(sources: Sources, given: Any) -> _Answer:
        return await until_cancelled(lambda go_on: _encodable(answer(sources, given, go_on)))

    return read


_TOOLS: dict[str, tuple[type[Arguments], _Reading]] = {
    "search_documents": (SearchDocuments, _from_documents(search_documents)),
    "read_document": (ReadDocument, _from_documents(read_document)),
    "find_nodes": (FindNodes, _from_story(find_nodes)),
    "get_node": (GetNode, _from_story(get_node)),
    "get_scene": (GetScene, _from_story(get_scene)),
    "list_characters": (ListCharacters, _from_story(list_characters)),
    "list_variables": (ListVariables, _from_story(list_variables)),
    "check_continuity": (CheckContinuity, _from_story(check_continuity, ask_store_until_cancelled)),
}


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _encodable(value: Any) -> Any:
    """A JSON value that any provider can be sent."""
    if isinstance(value, dict):
        return {_encodable(name): _encodable(item) for name, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_encodable(item) for item in cast("list[Any]", value)]
    return encodable(value) if isinstance(value, str) else value


class _Schemas(GenerateJsonSchema):
    """Schemas without titles, and without what only says that something may be left out."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    schema = arguments.model_json_schema(schema_generator=_Schemas, union_format="primitive_type_array")
    own = {name: value for name, value in schema.items() if name not in ("title", "description")}
    return {"properties": {}, "required": [], **own}


READING_TOOLS: Mapping[str, ReadingTool] = {
    name: ReadingTool(" ".join(str(kind.__doc__).split()), _schema(kind)) for name, (kind, _) in _TOOLS.items()
}
"""Every reading tool by its name."""
