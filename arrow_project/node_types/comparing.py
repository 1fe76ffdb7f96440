"""Node types that compare or change a variable: condition, variable_update."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from arrow_project.node_types.kinds import UNSET, Made, Reference, Scope, clean, mismatch, only, whole
from arrow_project.node_types.node_type import Blueprint, DataProblem, Field, NodeType, Outdated, Part, Problems
from arrow_project.node_types.patterns import FOREIGN_HINT, compared, equality
from arrow_project.values import Record, is_id, sequence, shown, text

LITERAL, VARIABLE = 0, 1
DEFAULTS: dict[str, int | str | bool] = {"num": 0, "str": "", "bool": False}
COMPARISONS = {
    "num": ("eq", "nq", "gt", "gte", "ls", "lse"),
    "str": ("rgx", "ct", "cts", "bgn", "end", "eql", "lng", "shr"),
    "bool": ("eq", "nq"),
}
UPDATES = {
    "num": ("set", "add", "sub", "div", "rem", "mul", "exp", "abs"),
    "str": ("set", "stc", "stl", "stu", "ins", "inb", "rmc", "rml", "rmr", "rmi", "rpl", "rpi"),
    "bool": ("set", "neg"),
}
_PATTERN = "rgx"
_SIGNS = {"==": "eq", "!=": "nq", ">": "gt", ">=": "gte", "<": "ls", "<=": "lse"}
_WORDS: dict[str, dict[str, str]] = {
    "num": {"set": "set", "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div"},
    "str": {"set": "set", "add": "ins", "subtract": "rmc"},
    "bool": {"set": "set"},
}
_OPERAND = {
    "type": ["object", "string", "number", "boolean"],
    "description": "{type: value or variable, value: the value, or the id or name of the other variable}",
    "properties": {
        "type": {"type": "string", "enum": ["value", "variable"]},
        "value": {"type": ["string", "number", "boolean"]},
    },
}


def variable_reference() -> Reference:
    """The variable a node is about."""
    return Reference("variable", "id or exact name of a variable")


def variable_field(rule: int) -> Field:
    """The field of that variable, and the rule that it must keep."""
    return Field("variable", variable_reference(), UNSET, "variable", rule, also=("variable_id",))


def type_of(given: object, scope: Scope) -> str:
    """num, str or bool; empty for no variable.

    Raises:
        OperationError: there is no such variable.
    """
    return "" if given in (UNSET, None) else scope.variable_type(scope.find("variable", given))


def _outdated(*decided: str) -> Outdated:
    """Without its variable nothing else is decided about the node, unless it is said too."""

    def outdated(_said: Record, named: Record, _scope: Scope) -> tuple[str, ...]:
        is_unset = "variable" in named and named["variable"] in (UNSET, None)
        return decided if is_unset and named.keys().isdisjoint(decided) else ()

    return outdated


def typed(name: str, value: object, type_name: str) -> int | str | bool:
    """A value of a variable's type.

    Raises:
        OperationError: it is of another type.
    """
    if type_name == "num":
        return whole(name, value)
    wanted, word = (str, "a text") if type_name == "str" else (bool, "true or false")
    if not isinstance(value, wanted):
        raise mismatch(f'"{name}" must be {word} because the variable is of type {type_name}, not {shown(value)}.')
    return clean(value) if isinstance(value, str) else value


def _operand(name: str, given: object, variable: int, scope: Scope) -> list[Any]:
    """``[mode, value]`` of a simplified operand."""
    type_name = scope.variable_type(variable)
    operand = (
        only(f'"{name}"', cast("Record", given), ("type", "value")) if isinstance(given, dict) else {"value": given}
    )
    mode = operand.get("type", "value")
    value = operand.get("value")
    if mode == "variable":
        other = scope.find("variable", value)
        if scope.variable_type(other) != type_name:
            raise mismatch(
                f"Variable {other} is of type {scope.variable_type(other)} and variable {variable} of type "
                f"{type_name}; both must be of the same type."
            )
        if other == variable:
            scope.remark(f"Compared with itself, variable {variable} stands for its initial value.")
        return [VARIABLE, other]
    if mode != "value":
        raise mismatch(f'The type of "{name}" is "value" or "variable", not {shown(mode)}.')
    return [LITERAL, DEFAULTS.get(type_name) if value is None else typed(name, value, type_name)]


def _lift_operand(operand: object) -> Record:
    mode, value = [*sequence(operand), None, None][:2]
    return {"type": "variable" if mode == VARIABLE else "value", "value": value}


def _unset(given: Record, operand: str, type_name: str) -> bool:
    """Whether nothing is decided yet.

    Raises:
        OperationError: something is, but not the variable.
    """
    if given.get("variable", UNSET) not in (UNSET, None):
        return False
    value = given.get(operand)
    if isinstance(value, dict):
        value = cast("Record", value).get("value")
    if value is not None:
        raise mismatch(f'A {type_name} needs "variable": the id or name of the variable it is about.')
    return True


def _lower_condition(given: Record, scope: Scope) -> Blueprint:
    if _unset(given, "compare_to", "condition"):
        return Blueprint((Part("condition", CONDITION.fresh()),))
    variable = scope.find("variable", given["variable"])
    type_name = scope.variable_type(variable)
    operator = given.get("operator", "==")
    operand = _operand("compare_to", given.get("compare_to"), variable, scope)
    if type_name == "str" and operator in ("==", "!="):
        operator, operand = _equality(text(operator), operand)
    native = _SIGNS.get(text(operator), operator)
    if native not in COMPARISONS.get(type_name, ()):
        raise mismatch(_no_operator(operator, type_name, _possible_comparisons(type_name)))
    if native == _PATTERN and operand[0] == LITERAL and not scope.compiles(operand[1]):
        raise mismatch(
            f"{shown(operand[1])} is no regular expression that compiles in Arrow and in browsers: {FOREIGN_HINT}."
        )
    return Blueprint((Part("condition", {"variable": variable, "operator": native, "with": operand}),))


def _no_operator(operator: object, type_name: str, possible: list[str]) -> str:
    return f"A variable of type {type_name} has no operator {shown(operator)}; possible: {', '.join(possible)}."


def _possible_comparisons(type_name: str) -> list[str]:
    native = COMPARISONS.get(type_name, ())
    signs = [sign for sign, name in _SIGNS.items() if name in native]
    return ["==", "!=", *native] if type_name == "str" else signs


def _equality(operator: str, operand: list[Any]) -> tuple[str, list[Any]]:
    """Arrow has no equality of texts: an anchored pattern says the same."""
    if operand[0] == VARIABLE:
        raise mismatch(
            "Arrow cannot ask whether two text variables are equal; compare with a fixed text, or use cts (contains)."
        )
    return "rgx", [LITERAL, equality(operator, operand[1])]


def _lift_condition(data: Record, _scope: Scope) -> Record:
    operator, operand = data.get("operator"), _lift_operand(data.get("with"))
    equality = compared(operand["value"]) if operator == "rgx" and operand["type"] == "value" else None
    if equality:
        operator, operand["value"] = equality
    signs = {native: sign for sign, native in _SIGNS.items()}
    return {"operator": signs.get(text(operator), operator), "compare_to": operand}


def _with_references(data: Record) -> list[object]:
    mode, value = [*sequence(data.get("with")), None, None][:2]
    return [value] if mode == VARIABLE else []


def _operator_problems(operators: Mapping[str, tuple[str, ...]]) -> Problems:
    every = tuple(dict.fromkeys(name for names in operators.values() for name in names))

    def problems(data: Record, scope: Scope) -> Iterator[DataProblem]:
        own = scope.variable_type(data["variable"]) if is_id(data["variable"]) else ""
        operator, possible = data["operator"], operators.get(own, every)
        problem = _with_problem(data["with"], own, scope)
        # an operator of another type: it may be the variable that is wrong, and then the value does not fit either
        of_other_type = operator not in possible and operator in every
        if operator not in possible:
            fields = ("variable", "operator") if of_other_type else ("operator",)
            yield DataProblem(44, f"operator {shown(operator)} is none of {', '.join(possible)}", fields)
        if problem and not of_other_type:
            yield DataProblem(45, f"with {problem}", ("with",))
        elif operator == _PATTERN and data["with"][0] == LITERAL and not scope.compiles(text(data["with"][1])):
            yield DataProblem(
                45, f"with must hold a pattern that compiles in Arrow and in browsers ({FOREIGN_HINT})", ("with",)
            )

    return problems


def _with_problem(value: object, own: str, scope: Scope) -> str:
    operand = sequence(value)
    if len(operand) != 2 or not is_id(operand[0]) or operand[0] not in (LITERAL, VARIABLE):
        return "must be [0, value] or [1, variable id]"
    if operand[0] == VARIABLE:
        other = scope.variable_type(operand[1]) if is_id(operand[1]) else ""
        if not other:
            return f"must name a variable, and {shown(operand[1])} is none"
        differ = own in DEFAULTS and other in DEFAULTS and own != other
        return f"must name a variable of the same type ({own})" if differ else ""
    return "" if is_of_type(operand[1], own) else f"must hold {f'a value of type {own}' if own else 'a plain value'}"


def is_of_type(value: object, type_name: str) -> bool:
    """Whether a value is of a variable's type; with no known type, whether it is any plain value or null."""
    if type_name not in DEFAULTS:
        return not isinstance(value, dict | list)
    return is_id(value) if type_name == "num" else isinstance(value, str if type_name == "str" else bool)


def _detach(fresh: Record) -> Any:
    """Without its variable the node is as new; without the other one it compares with a plain value."""

    def detach(data: Record, resource_id: int, scope: Scope) -> Record:
        if data.get("variable") == resource_id:
            return dict(fresh)
        if resource_id in _with_references(data):
            return {"with": [LITERAL, DEFAULTS.get(scope.variable_type(data["variable"]))]}
        return {}

    return detach


CONDITION = NodeType(
    "condition",
    "Asks for the value of a variable. Slot 0 = true, slot 1 = false.",
    fields=(variable_field(43),),
    said={
        "operator": {
            "type": "string",
            "description": "== != > < >= <= for numbers; == != for yes/no and texts; texts also ct contains "
            "(ignoring case), cts contains, bgn begins with, end ends with, rgx pattern, eql lng shr length",
        },
        "compare_to": _OPERAND,
    },
    outputs=lambda _data: 2,
    reversed=True,
    rewrite=_lower_condition,
    outdated=_outdated("operator", "compare_to"),
    rewrite_lift=_lift_condition,
    own_fields=(
        Field("operator", Made(), "eq", "operator", 44),
        Field("with", Made(), [LITERAL, None], "compare_to", 45),
    ),
    own_references=_with_references,
    own_problems=_operator_problems(COMPARISONS),
    detach=_detach({"variable": UNSET, "operator": "eq", "with": [LITERAL, None]}),
    expects="variable",
    decides="variable",
    complete=43,
)


def _lower_update(given: Record, scope: Scope) -> Blueprint:
    if _unset(given, "value", "variable_update"):
        return Blueprint((Part("variable_update", VARIABLE_UPDATE.fresh()),))
    variable = scope.find("variable", given["variable"])
    type_name = scope.variable_type(variable)
    said = given.get("operation", "set")
    words = _WORDS.get(type_name, {})
    native = words.get(text(said), said)
    if native not in UPDATES.get(type_name, ()):
        raise mismatch(_no_operator(said, type_name, [*words, *UPDATES.get(type_name, ())]))
    if type_name == "str" and said == "subtract":
        scope.remark("Of a text, subtract removes the first occurrence (Arrow's rmc).")
    if said == "divide":
        scope.remark("Arrow divides whole numbers: the rest is dropped.")
    operand = _operand("value", given.get("value"), variable, scope)
    return Blueprint((Part("variable_update", {"variable": variable, "operator": native, "with": operand}),))


def _lift_update(data: Record, scope: Scope) -> Record:
    operator = data.get("operator")
    type_name = scope.variable_type(data["variable"]) if is_id(data.get("variable")) else ""
    words = {native: word for word, native in _WORDS.get(type_name, {}).items()}
    return {"operation": words.get(text(operator), operator), "value": _lift_operand(data.get("with"))}


VARIABLE_UPDATE = NodeType(
    "variable_update",
    "Changes a variable. Slot 0 = continue.",
    fields=(variable_field(43),),
    said={
        "operation": {
            "type": "string",
            "description": "set add subtract multiply divide; numbers also rem exp abs; texts: set, add (append), "
            "inb prepend, stc stl stu (change case), rmc rml rmr rmi remove, rpl rpi replace old|new; yes/no: "
            "set, neg (the opposite of the value)",
        },
        "value": _OPERAND,
    },
    rewrite=_lower_update,
    outdated=_outdated("operation", "value"),
    rewrite_lift=_lift_update,
    own_fields=(
        Field("operator", Made(), "set", "operation", 44),
        Field("with", Made(), [LITERAL, None], "value", 45),
    ),
    own_references=_with_references,
    own_problems=_operator_problems(UPDATES),
    detach=_detach({"variable": UNSET, "operator": "set", "with": [LITERAL, None]}),
    expects="variable",
    decides="variable",
    complete=43,
)
