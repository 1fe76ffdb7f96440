"""The node type user_input: what the player is asked for."""

from collections.abc import Iterator
from typing import Any, cast

from arrow_project.node_types.comparing import type_of, variable_field
from arrow_project.node_types.kinds import UNSET, Made, Scope, Text, clean, mismatch, only, whole
from arrow_project.node_types.node_type import Blueprint, DataProblem, Field, NodeType, Part
from arrow_project.node_types.patterns import FOREIGN_HINT
from arrow_project.values import Record, integer, is_id, sequence, shown, text

_INPUTS = {"text": "str", "number": "num", "yes_no": "bool"}
CUSTOM: dict[str, dict[str, Any]] = {
    "str": {"pattern": "", "default": "", "placeholder": ""},
    "num": {"min": -100, "max": 100, "step": 1, "value": 0},
    "bool": {"negative": "", "positive": "", "default": True},
}


def _lower_input(given: Record, scope: Scope) -> Blueprint:
    prompt = Text().lower("prompt", given.get("prompt", ""), scope)
    if given.get("variable", UNSET) in (UNSET, None):
        if given.get("custom") or given.get("input_type"):
            raise mismatch('A user_input needs "variable": the id or name of the variable that takes the answer.')
        return Blueprint((Part("user_input", {"prompt": prompt, "variable": UNSET, "custom": []}),))
    variable = scope.find("variable", given["variable"])
    type_name = scope.variable_type(variable)
    _match_input(given.get("input_type"), type_name, variable)
    custom = _custom(given.get("custom"), type_name, scope)
    return Blueprint((Part("user_input", {"prompt": prompt, "variable": variable, "custom": custom}),))


def _match_input(said: object, type_name: str, variable: int) -> None:
    if said is None:
        return
    needed = _INPUTS.get(text(said))
    if needed is None:
        raise mismatch(f"No input_type {shown(said)}; possible: {', '.join(_INPUTS)}.")
    if needed != type_name:
        fitting = [name for name, type_ in _INPUTS.items() if type_ == type_name]
        raise mismatch(
            f"input_type {shown(said)} needs a variable of type {needed} and variable {variable} is of "
            f"type {type_name}; use {' '.join(fitting)}, or another variable."
        )


def _custom(given: object, type_name: str, scope: Scope) -> list[Any]:
    defaults = CUSTOM.get(type_name, {})
    values = _named_custom(given, defaults)
    custom = [_custom_value(name, value, defaults[name]) for name, value in values.items()]
    if type_name == "num":
        least, most, step, value = custom
        value = value if isinstance(given, list) or "value" in given_names(given) else min(max(value, least), most)
        custom = [least, most, step, value]
    problem = custom_problem(custom, type_name, scope)
    if type_name == "num" and not problem and not custom[0] <= custom[3] <= custom[1]:
        problem = "needs a value from min to max"
    if problem:
        raise mismatch(f'"custom" {problem}.')
    return custom


def given_names(given: object) -> set[str]:
    """The keys of an object, if it is one."""
    return set(cast("Record", given)) if isinstance(given, dict) else set()


def _named_custom(given: object, defaults: Record) -> Record:
    if isinstance(given, list) and len(cast("list[Any]", given)) == len(defaults):
        return dict(zip(defaults, cast("list[Any]", given), strict=True))
    if given is not None and not isinstance(given, dict) and given != []:
        raise mismatch(f'"custom" must be an object with {", ".join(defaults)}.')
    named = cast("Record", given or {})
    return defaults | only('"custom" for this variable', named, defaults)


def _custom_value(name: str, value: object, default: object) -> Any:
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise mismatch(f'"{name}" must be true or false, not {shown(value)}.')
        return value
    if isinstance(default, int):
        return whole(name, value)
    if not isinstance(value, str):
        raise mismatch(f'"{name}" must be a text, not {shown(value)}.')
    return clean(value)


def custom_problem(custom: list[Any], type_name: str, scope: Scope) -> str:
    """What is wrong with a complete ``custom`` of the right shape."""
    if type_name == "num":
        least, most, step, _ = custom
        if least >= most or not 1 <= step <= most - least:
            return "needs min < max and 1 <= step <= max - min"
    if type_name == "str" and not scope.compiles(custom[0]):
        return f"has a pattern that does not compile in Arrow and in browsers ({FOREIGN_HINT})"
    return ""


def _outdated_input(said: Record, named: Record, scope: Scope) -> tuple[str, ...]:
    """Of a variable of another type the input is another, with settings of its own."""
    if "variable" not in named or type_of(named["variable"], scope) == _INPUTS.get(text(said.get("input_type"))):
        return ()
    if "custom" not in named and said.get("input_type"):
        scope.remark("The variable is of another type, so the settings of the input (custom) became that type's own.")
    return ("input_type", "custom")


def _lift_input(data: Record, scope: Scope) -> Record:
    variable = integer(data.get("variable"))
    type_name = scope.variable_type(variable)
    said: Record = {"prompt": data.get("prompt", "")}
    inputs = {type_: name for name, type_ in _INPUTS.items()}
    if type_name in inputs:
        said["input_type"] = inputs[type_name]
    defaults, custom = CUSTOM.get(type_name, {}), sequence(data.get("custom"))
    if custom and custom != list(defaults.values()):
        said["custom"] = dict(zip(defaults, custom, strict=False)) if len(custom) == len(defaults) else custom
    return said


def _input_problems(data: Record, scope: Scope) -> Iterator[DataProblem]:
    own = scope.variable_type(data["variable"]) if is_id(data["variable"]) else ""
    custom = data["custom"]
    if not isinstance(custom, list):
        yield DataProblem(48, "custom must be an array", ("custom",))
    elif own in CUSTOM:
        defaults = list(CUSTOM[own].values())
        shaped = len(sequence(custom)) == len(defaults) and all(
            type(item) is type(default) for item, default in zip(sequence(custom), defaults, strict=True)
        )
        if not shaped:
            # it may be the variable that is wrong
            sentence = f"custom must hold {', '.join(CUSTOM[own])} for a variable of type {own}"
            yield DataProblem(48, sentence, ("variable", "custom"))
        elif problem := custom_problem(sequence(custom), own, scope):
            yield DataProblem(49, f"custom {problem}", ("custom",))


USER_INPUT = NodeType(
    "user_input",
    "Asks the player for a value. Slot 0 = continue.",
    fields=(Field("prompt", Text(), "", "prompt", 48, exposes=True), variable_field(48)),
    said={
        "input_type": {
            "type": "string",
            "enum": list(_INPUTS),
            "description": "text needs a str variable, number a num, yes_no a bool",
        },
        "custom": {
            "type": "object",
            "description": "text: pattern, default, placeholder; number: min, max, step, value; yes_no: negative and "
            "positive label, default",
        },
    },
    rewrite=_lower_input,
    outdated=_outdated_input,
    rewrite_lift=_lift_input,
    own_fields=(Field("custom", Made(), [], "custom", 48),),
    own_problems=_input_problems,
    detach=lambda data, resource_id, _scope: {"custom": []} if data.get("variable") == resource_id else {},
    expects="variable",
    decides="variable",
)
