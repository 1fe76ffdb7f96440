"""Arrow loads files that texts name, and runs scripts in them: no operation brings another than the story names."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agent.editing.editor import Failure
from arrow_project import ArrowProject, ErrorCode, NativeCall, Operation, files_in, shorten, texts_in

# What a story that is played keeps in variables, where Arrow's own operations take texts apart: by type of node.
_PLAYED = {"variable_update": "with", "generator": "arguments", "user_input": "custom"}


def find_file(project: ArrowProject, operation: Operation) -> Failure | None:
    """Why a text of the operation would have Arrow load a file that the story does not name yet; None if none would."""
    named = set(files_in(dict(operation.arguments)))
    if not named or not (added := named - set(files_in(project.data.raw))):
        return None
    return Failure(
        ErrorCode.PERMISSION_DENIED,
        f"{operation.function}: Arrow loads the file that a text names in a tag img, font or dropcap, and runs a "
        f"script in it. So “{shorten(min(added))}” is not written, nor half of such a tag before a {{…}} or the end. "
        "Leave it out; only the user can write it, by hand in Arrow.",
    )


def brackets_in(project: ArrowProject, calls: Iterable[NativeCall]) -> set[str]:
    """The values with a `[` that calls give to variables, or to nodes that do so once the story is played."""
    return {text for call in calls for text in _given(project, call) if "[" in text}


def find_bracket(project: ArrowProject, operation: Operation, given: set[str]) -> Failure | None:
    """Why no variable gets a value with a `[`, of which a played story may make a tag; None if it has it already."""
    data = project.data
    known = {text for variable in data.variables.values() for text in texts_in(variable.get("init"))}
    known |= {text for node in data.nodes.values() for text in texts_in(_played(node.get("type"), node.get("data")))}
    if not (added := given - known):
        return None
    return Failure(
        ErrorCode.PERMISSION_DENIED,
        f"{operation.function}: of a value with a bracket, as “{shorten(min(added))}”, a story that is played may make "
        "a tag with which Arrow loads a file, and runs a script in it. Put the bracket into the text that shows the "
        "value; only the user can write it here, by hand in Arrow.",
    )


def _given(project: ArrowProject, call: NativeCall) -> Iterator[str]:
    given: Mapping[str, Any] = call.arguments
    yield from texts_in(given.get("initial_value"))
    preset = given.get("preset", given)
    kind = given.get("type") or project.data.nodes.get(given.get("node_id", -1), {}).get("type")
    yield from texts_in(_played(kind, preset.get("data")))


def _played(kind: object, data: Any) -> Any:
    field = _PLAYED.get(kind) if isinstance(kind, str) else None
    played = data.get(field) if field is not None and isinstance(data, dict) else None
    return played[1:2] if field == "custom" and isinstance(played, list) else played  # beside a pattern and a hint
