"""A function of the protocol: its description for a model and the code behind it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from arrow_project.names import near
from arrow_project.node_types.kinds import mismatch
from arrow_project.operation import OperationSpec
from arrow_project.operations.editing import Editing
from arrow_project.values import Record, shortened, shown

Handler = Callable[[Editing, Record], Record]


NODE: Record = {
    "type": ["integer", "string"],
    "description": "id, or last_created, selected, first_selected, last_selected, current_entry, project_entry",
}
SCENE: Record = {"type": ["integer", "string"], "description": "id; default: the open scene"}


@dataclass(frozen=True)
class Function:
    """An operation's description, its handler, whether it asks who uses what."""

    spec: OperationSpec
    handler: Handler
    asks_for_users: bool

    def arguments(self, given: object) -> Record:
        """The arguments under their own names, without those that are null.

        Raises:
            OperationError: no object, one that the function does not have, or a required one is missing.
        """
        if not isinstance(given, Mapping):
            raise mismatch(f"The arguments of {self.spec.name} must be an object, not {shown(given)}.")
        properties: Record = self.spec.parameters["properties"]
        arguments: Record = {}
        for key, value in cast("Mapping[str, object]", given).items():
            name = self.spec.aliases.get(key, key)
            if name in _IGNORED or value is None:
                continue
            if name not in properties:
                raise mismatch(self._unknown(str(key), list(properties)))
            arguments[name] = value
        missing = [name for name in self.spec.parameters["required"] if name not in arguments]
        if missing:
            raise mismatch(f'{self.spec.name} needs "{missing[0]}". Its arguments: {", ".join(properties)}.')
        return arguments

    def _unknown(self, key: str, known: list[str]) -> str:
        guess = near(key, known)
        hint = f'; did you mean "{guess[0]}"?' if guess else "."
        return f'{self.spec.name} has no argument "{shortened(key)}"{hint} Its arguments: {", ".join(known)}.'


# arguments of Arrow's own functions that only concern its canvas
_IGNORED = ("draw", "is_auto_update", "name_prefix")


def function(
    name: str,
    handler: Handler,
    description: str,
    parameters: Record,
    *,
    destructive: bool = False,
    aliases: Mapping[str, str] | None = None,
    asks_for_users: bool = False,
) -> Function:
    """A function and its description."""
    spec = OperationSpec(name, description, parameters, destructive, aliases or {})
    return Function(spec, handler, asks_for_users)


def schema(properties: Record, *required: str) -> Record:
    """JSON schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
