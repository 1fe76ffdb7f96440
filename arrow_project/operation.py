"""An operation on a project, what it depends on, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Operation:
    """One edit: a function of the protocol and its arguments, in the simplified form.

    Attributes:
        function: one of ``OPERATIONS``.
        arguments: JSON values; node ids may be words such as ``"last_created"``.
    """

    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Selection:
    """What the editor shows while an operation is applied.

    Attributes:
        scene_id: the open scene; None is the scene that owns the project's entry.
        node_ids: the selected nodes, in the order in which they were selected.
        last_created: the node that ``"last_created"`` means.
    """

    scene_id: int | None = None
    node_ids: tuple[int, ...] = ()
    last_created: int | None = None


@dataclass(frozen=True)
class OperationResult:
    """What an applied operation did.

    Attributes:
        result: for the caller; begins with the id of what was created or changed. ``remarks``, when present,
            is a list of sentences about what was adjusted or could not be kept.
        created: ids of the nodes that came into being, in order (the last one is the new ``last_created``).
        operation: the same operation with words and names replaced by ids.
        calls: the same edit as calls of Arrow's own functions with native data, in order.
    """

    result: dict[str, Any]
    created: tuple[int, ...]
    operation: Operation
    calls: "tuple[NativeCall, ...]" = ()


@dataclass(frozen=True)
class NativeCall:
    """One call of a function that Arrow itself has, with native data, slots and ids.

    Attributes:
        function: create_insert_node, update_node, delete_node, update_node_map, create_scene, update_scene,
            delete_scene, set_scene_entry, set_project_entry, create_variable, update_variable,
            delete_variable, create_character, update_character, delete_character.
        arguments: as the Arrow-AI dispatcher takes them; ``data`` carries the ``_use`` command.
        created: ids that Arrow will give to what this call creates (of a scene: the scene, its entry).
    """

    function: str
    arguments: dict[str, Any]
    created: tuple[int, ...] = ()


@dataclass(frozen=True)
class OperationSpec:
    """A function of the protocol, described well enough to be a language model's tool.

    Attributes:
        name: the function's name on the wire.
        description: what it does, what slots mean, what the result holds.
        parameters: JSON schema of the arguments.
        destructive: whether it removes something a writer made.
        aliases: other names of parameters, as the protocol's examples and Arrow's own functions have them.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    destructive: bool
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Finding:
    """A rule that a project breaks, or something a story editor would look at.

    Attributes:
        rule: number of the invariant, or the name of a lint.
        severity: ``"error"`` or ``"warning"``.
        place: e.g. ``scene 0, node 12``.
        message: what is wrong there and what would be right.
    """

    rule: int | str
    severity: str
    place: str
    message: str
