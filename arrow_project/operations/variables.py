"""Operations on variables."""

from itertools import islice

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.merging import extent, growth, longest, occurrences
from arrow_project.names import safe
from arrow_project.node_types.comparing import DEFAULTS, typed
from arrow_project.node_types.kinds import mismatch, own_name, own_text
from arrow_project.operations.detaching import release
from arrow_project.operations.editing import Editing
from arrow_project.operations.function import Function, function, schema
from arrow_project.values import LONGEST_TEXT, Record, shortened, shown, width_of

_TYPES = {"number": "num", "int": "num", "integer": "num", "string": "str", "text": "str", "boolean": "bool"}
MOST_WRITTEN = 400_000
"""Characters that a rename may write into the texts that expose the name."""
_MOST_ALIKE = 3  # names that are mentioned: each remark is kept with its operation
_MOST_REWRITTEN = 20_000_000  # characters of data, which is there twice until the rename is done
_MOST_GROWN = 16 * 2**20  # bytes: a turn may have hundreds of renames, and its story counts as it was before them
_VALUE: Record = {"type": ["number", "string", "boolean"], "description": "of the variable's type"}
_BY: Record = {
    "variable_id": {"type": ["integer", "string"]},
    "by_name": {"type": "string", "description": "instead of the id"},
}


def free_name(editing: Editing, kind: str, given: object, own: int | None = None) -> str:
    """A safe name that no other resource of the kind has.

    Raises:
        OperationError: the name is empty or another one has it; names that one's id.
    """
    wanted = own_name(given)
    name = safe(wanted)
    if not name:
        raise mismatch(f'"name" must be a non-empty text: a {kind} is exposed in texts by its name.')
    existing = editing.project.by_name(kind)
    if name in existing and existing[name] != own:
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"There is a {kind} named {shortened(name)} already: id {existing[name]}. Use that one, or choose "
            "another name.",
            {"existing_id": existing[name]},
        )
    if name != wanted:
        editing.remark(f"The name became {shortened(name)}: in texts it must stand between braces.")
    _mention_alike(editing, kind, name, existing)
    return name


def refuse_too_much_text(editing: Editing, kind: str, resource_id: int, new: str) -> None:
    """Refuse a new name that would make texts much longer, as what exposes the old one says the new one, or one more.

    By how much they grow counts for the next one.

    Raises:
        OperationError: it would.
    """
    project = editing.project
    old = project.name(kind, resource_id)
    exposure = f"{{{old}" + ("}" if kind == "variable" else ".")
    # Whoever uses it has all of its texts changed, also where Arrow would see no exposure.
    users = [project.data(node_id) for node_id in project.usage.users(kind, resource_id)]
    exposing = [data for data in users if occurrences(data, exposure)]
    count = sum(occurrences(data, exposure) for data in exposing)
    most = min(MOST_WRITTEN, LONGEST_TEXT - max(map(longest, exposing), default=0))  # else none could be read again
    if len(new) > len(old) and count * len(new) > most:
        raise mismatch(
            f"Texts expose {shortened(old)} {count:,} times, and a rename may write {max(most, 0):,} characters into "
            f"them; choose a name of at most {max(most // count, len(old))}."
        )
    if (rewritten := sum(map(extent, exposing))) > _MOST_REWRITTEN:
        raise mismatch(
            f"Data of {rewritten:,} characters exposes {shortened(old)}, and a rename may write {_MOST_REWRITTEN:,} "
            "anew: write the new name into some of the texts first."
        )
    before = project.working["grown"]
    grown = before + growth(exposing, exposure, len(new) - len(old), width_of(new))
    if grown > max(_MOST_GROWN, before):
        raise mismatch(
            f"With this name, renames would have made the texts of this story {grown:,} bytes larger than they were, "
            f"and they may by {_MOST_GROWN:,}; choose a shorter name, or one of simpler letters."
        )
    project.journal.put(project.working, "grown", grown)


def _mention_alike(editing: Editing, kind: str, name: str, existing: dict[str, int]) -> None:
    alike = (other for other in existing if other != name and other.casefold() == name.casefold())
    for other in islice(alike, _MOST_ALIKE):
        editing.remark(f"There is also a {kind} {shortened(other)} ({existing[other]}), spelled almost alike.")


def find(editing: Editing, kind: str, arguments: Record) -> int:
    """The resource that ``…_id`` or ``by_name`` means.

    Raises:
        OperationError: neither is given, or there is none.
    """
    given = [arguments[key] for key in (f"{kind}_id", "by_name") if key in arguments]
    if not given:
        raise mismatch(f'Say which {kind}: "{kind}_id" or "by_name".')
    found = [editing.find(kind, one) for one in given]
    if len(set(found)) > 1:
        raise mismatch(
            f'"{kind}_id" means {kind} {found[0]} and "by_name" means {kind} {found[1]}; say only one of them.'
        )
    return found[0]


def _create_variable(editing: Editing, arguments: Record) -> Record:
    said = arguments["type"]
    type_name = _TYPES.get(said, said) if isinstance(said, str) else ""
    if type_name not in DEFAULTS:
        raise mismatch(f"No variable type {shown(said)}; possible: num (whole numbers), str (texts), bool (yes or no).")
    name = free_name(editing, "variable", arguments["name"])
    initial = typed("initial_value", arguments.get("initial_value", DEFAULTS[type_name]), type_name)
    notes = _notes(editing, arguments) or ""
    variable_id = editing.create_variable(name, type_name, initial, notes)
    return {"variable_id": variable_id, "name": name, "type": type_name, "initial_value": initial}


def _notes(editing: Editing, arguments: Record) -> str | None:
    if "notes" not in arguments:
        return None
    editing.remark("The notes are kept in the file; Arrow itself shows notes of nodes only.")
    return own_text("notes", arguments["notes"])


def _update_variable(editing: Editing, arguments: Record) -> Record:
    variable_id = find(editing, "variable", arguments)
    project = editing.project
    type_name = project.variable_type(variable_id)
    _keep_type(arguments.get("type"), type_name, variable_id)
    initial = arguments.get("initial_value")
    if initial is not None:
        initial = typed("initial_value", initial, type_name)
    name = None
    if arguments.get("name") and arguments["name"] != project.name("variable", variable_id):
        name = free_name(editing, "variable", arguments["name"], variable_id)
        refuse_too_much_text(editing, "variable", variable_id, name)
        editing.mind.settle_references(project.usage.users("variable", variable_id))
    editing.mind.update_variable(variable_id, name, initial, _notes(editing, arguments))
    if name is not None:
        editing.mind.settle_references(project.usage.exposing("variable", name))
    return {"variable_id": variable_id, "name": project.name("variable", variable_id)}


def _keep_type(said: object, type_name: str, variable_id: int) -> None:
    if said is None or (isinstance(said, str) and _TYPES.get(said, said) == type_name):
        return
    raise OperationError(
        ErrorCode.PERMISSION_DENIED,
        f"Variable {variable_id} is of type {type_name} and Arrow does not change types; create another variable.",
    )


def _delete_variable(editing: Editing, arguments: Record) -> Record:
    variable_id = find(editing, "variable", arguments)
    users = editing.project.usage.users("variable", variable_id)
    release(editing, "variable", variable_id, force=arguments.get("force") is True, users=users)
    editing.mind.delete_variable(variable_id)
    return {"removed_id": variable_id}


FUNCTIONS: tuple[Function, ...] = (
    function(
        "create_variable",
        _create_variable,
        "Make a variable of the whole project. Texts show its value where they say {name}.",
        schema(
            {
                "name": {"type": "string", "description": "unique; blanks and braces become underscores"},
                "type": {"type": "string", "enum": list(DEFAULTS), "description": "num: whole numbers only"},
                "initial_value": _VALUE,
                "notes": {"type": "string"},
            },
            "name",
            "type",
        ),
        asks_for_users=True,
    ),
    function(
        "update_variable",
        _update_variable,
        "Change a variable's name (texts follow), initial value or notes.",
        schema(
            _BY
            | {
                "name": {"type": "string"},
                "initial_value": _VALUE,
                "type": {"type": "string", "description": "cannot change"},
                "notes": {"type": "string"},
            }
        ),
        asks_for_users=True,
    ),
    function(
        "delete_variable",
        _delete_variable,
        "Remove a variable. Refused while nodes use it, unless force is true: then they lose it.",
        schema(_BY | {"force": {"type": "boolean", "default": False}}),
        destructive=True,
        aliases={"forced": "force"},
        asks_for_users=True,
    ),
)
