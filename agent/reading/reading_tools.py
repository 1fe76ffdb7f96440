"""The tools that read: what each is for, what it is given, and who answers it, in one table."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from pydantic import BaseModel, ValidationError

from agent.continuity import CheckContinuity, ContinuityReader
from agent.reading.citations import Citations
from agent.reading.reading import DocumentReader, NotThere, ReadDocument, SearchDocuments
from agent.reading.story_reading import FindNodes, GetNode, GetScene, ListAll, StoryReader
from agent.turn.request import TurnContext
from agent.turn.thread import ask_store
from retrieval import CorpusError, ProjectKey, Retriever


class ReadingTool(NamedTuple):
    """What a model is told of a tool that reads."""

    description: str
    parameters: dict[str, Any]


class Reader:
    """Answers the reading tools of one turn, at once and without the client."""

    def __init__(
        self, retriever: Retriever, key: ProjectKey | None, citations: Citations, context: TurnContext
    ) -> None:
        self.documents = DocumentReader(retriever, key, citations)
        self.story = StoryReader(context)
        self.continuity = ContinuityReader(retriever, key, citations, context)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Executes one call; what went wrong is an answer too, `{"error": {"code", "message"}}`."""
        spec = _TOOLS[tool]
        try:
            given = spec.arguments.model_validate(arguments)
            return await ask_store(spec.answer, self, given)
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            return _error("INVALID_ARGUMENTS", f"{tool}: {problems}")
        except CorpusError as error:
            return _error(error.code, str(error))
        except NotThere as error:
            return _error(error.code, str(error))


class _Spec(NamedTuple):
    description: str
    arguments: type[BaseModel]
    answer: Callable[[Reader, Any], dict[str, Any]]


_TOOLS: dict[str, _Spec] = {
    "search_documents": _Spec(
        "Search the project's design documents. Returns numbered passages to cite, with document, pages, heading.",
        SearchDocuments,
        lambda reader, given: reader.documents.search(given),
    ),
    "read_document": _Spec(
        "Read a design document's text as written: all of it, or the pages given. A long text comes in parts. Each "
        "page has a number to cite. pages_recognized are pictures read by text recognition: words may be misread.",
        ReadDocument,
        lambda reader, given: reader.documents.read(given),
    ),
    "find_nodes": _Spec(
        "Find nodes of the story by words they say, type, character or scene; what is given must all hold. Returns "
        "a line for each, as in the project outline.",
        FindNodes,
        lambda reader, given: reader.story.find_nodes(given),
    ),
    "get_node": _Spec(
        "Everything about one node: its data as update_node takes it, what leads to it, and where each slot goes.",
        GetNode,
        lambda reader, given: reader.story.get_node(given),
    ),
    "get_scene": _Spec(
        "All nodes of one scene, a line each. A long scene comes in parts.",
        GetScene,
        lambda reader, given: reader.story.get_scene(given),
    ),
    "list_characters": _Spec(
        "The story's characters with ids, colours, tags, notes, and in how many nodes each is used.",
        ListAll,
        lambda reader, given: reader.story.list_characters(given),
    ),
    "list_variables": _Spec(
        "The story's variables with ids, types, initial values, notes, and in how many nodes each is used.",
        ListAll,
        lambda reader, given: reader.story.list_variables(given),
    ),
    "check_continuity": _Spec(
        "Compare a scene with the design documents: names spelled otherwise, speakers nobody knows, figures and facts "
        "that differ. Returns findings with node ids and passages to cite, and passages near the scene: read those for "
        "what disagrees otherwise.",
        CheckContinuity,
        lambda reader, given: reader.continuity.check(given),
    ),
}


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of the arguments, without what only says that something may be left out."""
    schema = arguments.model_json_schema()
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    return {
        "type": "object",
        "properties": {name: _plain(field) for name, field in properties.items()},
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    kinds = cast("list[dict[str, Any]]", field.get("anyOf", []))
    given = [kind for kind in kinds if kind.get("type") != "null"]
    if len(given) > 1:
        merged: dict[str, Any] = {"type": [kind["type"] for kind in given]}
    else:
        merged = dict(given[0]) if given else dict(field)
    if "description" in field:
        merged["description"] = field["description"]
    return {name: value for name, value in merged.items() if name not in ("title", "default", "anyOf")}


READING_TOOLS: Mapping[str, ReadingTool] = {
    name: ReadingTool(spec.description, _schema(spec.arguments)) for name, spec in _TOOLS.items()
}
"""Every reading tool by its name."""
