"""Node types that fill a variable from outside: generator, user_input."""

import re
from collections.abc import Iterator
from typing import Any, cast

from arrow_project.node_types.comparing import LITERAL, VARIABLE, variable_field
from arrow_project.node_types.kinds import UNSET, Made, Scope, Text, clean, mismatch, whole
from arrow_project.node_types.node_type import Blueprint, Field, NodeType, Part, chain
from arrow_project.values import Record, integer, is_id, sequence, text

METHODS = {"num": ("randi",), "str": ("ascii", "strst"), "bool": ("rnbln",)}
_SAID = {"random_int": "randi", "random_bool": "rnbln", "dice": "dice"}
_TYPE_OF = {"randi": "num", "dice": "num", "rnbln": "bool", "ascii": "str", "strst": "str"}
_DICE = re.compile(r"\s*(\d*)\s*[dD]\s*(\d+)\s*(?:([+-])\s*(\d+))?\s*")
_MOST_DICE = 10
_GAP = 2


def _lower_generator(given: Record, scope: Scope) -> Blueprint:
    if given.get("variable", UNSET) in (UNSET, None):
        if given.get("generator_type", "random_bool") != "random_bool":
            raise mismatch('A generator needs "variable": the id or name of the variable that it fills.')
        return Blueprint((Part("generator", GENERATOR.fresh()),))
    variable = scope.find("variable", given["variable"])
    method = _method(given, scope.variable_type(variable), variable)
    if method == "dice":
        return _dice(variable, given.get("dice"), scope)
    if method == "randi":
        low, high = whole("min", given.get("min", 0)), whole("max", given.get("max", 100))
        return _random_number(variable, low, high, given.get("parity"), scope)
    return Blueprint((_generator(variable, method, _arguments(method, given)),))


def _method(given: Record, type_name: str, variable: int) -> str:
    default = "dice" if "dice" in given else (METHODS.get(type_name) or ("",))[0]
    said = given.get("generator_type", default)
    method = _SAID.get(text(said), text(said))
    if method not in _TYPE_OF:
        raise mismatch(f"No generator_type {said!r}; possible: {', '.join([*_SAID, 'ascii', 'strst'])}.")
    if _TYPE_OF[method] != type_name:
        possible = [name for name in (*_SAID, "ascii", "strst") if _TYPE_OF[_SAID.get(name, name)] == type_name]
        raise mismatch(
            f"{said} needs a variable of type {_TYPE_OF[method]} and variable {variable} is of type {type_name}; "
            f"possible: {', '.join(possible)}."
        )
    return method


def _generator(variable: int, method: str, arguments: Any) -> Part:
    data: Record = {"variable": variable, "method": method, "arguments": arguments}
    return Part("generator", data)


def _arguments(method: str, given: Record) -> Any:
    if method == "ascii":
        return [clean(text(given.get("pool"))), max(1, whole("length", given.get("length", 8)))]
    if method == "strst":
        choices = [clean(text(choice)) for choice in sequence(given.get("choices"))]
        if not choices or any(not choice or "|" in choice for choice in choices):
            raise mismatch('strst needs "choices": one or more non-empty texts without "|".')
        return "|".join(choices)
    return None


def _random_number(variable: int, low: int, high: int, parity: object, scope: Scope) -> Blueprint:
    if high < low + _GAP:
        raise mismatch(f'"max" must be at least "min" + {_GAP} in Arrow, not {low} to {high}.')
    if parity not in (None, "even", "odd"):
        raise mismatch(f'"parity" is "even" or "odd", not {parity!r}.')
    scope.remark(f"Arrow's editor draws {low} to {high}, its HTML runtime leaves out the end farther from zero.")
    flags = [parity == "even", parity == "odd"]
    if low >= 0:
        return Blueprint((_generator(variable, "randi", [low, high, False, *flags]),))
    if high <= 0:
        return Blueprint((_generator(variable, "randi", [-high, -low, True, *flags]),))
    if parity:
        raise mismatch('A range across zero has no "parity" in Arrow; leave it out.')
    scope.remark("A range across zero became two nodes: a random number, from which a second node subtracts.")
    return chain(
        _generator(variable, "randi", [0, high - low, False, False, False]),
        _change(variable, "sub", [LITERAL, -low]),
    )


def _change(variable: int, operator: str, operand: list[int]) -> Part:
    return Part("variable_update", {"variable": variable, "operator": operator, "with": operand})


def _dice(variable: int, notation: object, scope: Scope) -> Blueprint:
    match = _DICE.fullmatch(notation) if isinstance(notation, str) else None
    if not match:
        raise mismatch(f'"dice" must look like "2d6+3", not {notation!r}.')
    count, sides = int(match[1] or 1), int(match[2])
    bonus = int(f"{match[3]}{match[4]}") if match[3] else 0
    if not 1 <= count <= _MOST_DICE or sides <= _GAP or max(sides, abs(bonus)) >= 2**31:
        raise mismatch(f"Dice may be 1 to {_MOST_DICE} of 3 or more sides, not {notation!r}.")
    if count == 1:
        return _random_number(variable, 1 + bonus, sides + bonus, None, scope)
    return _sum_of_dice(variable, count, sides, bonus, scope)


def _sum_of_dice(variable: int, count: int, sides: int, bonus: int, scope: Scope) -> Blueprint:
    die = scope.helper("die")
    throw = [
        _generator(die, "randi", [1, sides, False, False, False]),
        _change(variable, "add", [VARIABLE, die]),
    ]
    scope.remark(
        f"The sum of {count} dice became {1 + 2 * count} nodes in a row; variable {die} holds one throw. "
        f"Arrow's HTML runtime never throws a {sides}."
    )
    return chain(_change(variable, "set", [LITERAL, bonus]), *(part for _ in range(count) for part in throw))


def _lift_generator(data: Record, _scope: Scope) -> Record:
    method, arguments = data.get("method"), data.get("arguments")
    names = {native: said for said, native in _SAID.items()}
    said: Record = {"generator_type": names.get(text(method), method)}
    items = sequence(arguments)
    if method == "randi":
        said |= _lift_range(items)
    elif method == "ascii":
        said |= {"pool": text([*items, ""][0]), "length": integer([*items, 0, 0][1], 1)}
    elif method == "strst":
        said["choices"] = [choice for choice in text(arguments).split("|") if choice]
    return said


def _lift_range(arguments: list[Any]) -> Record:
    low, high, negative, even, odd = [*arguments, *[0, 100, False, False, False][len(arguments) :]][:5]
    if negative is True:
        low, high = -integer(high, 0), -integer(low, 0)
    said = {"min": low, "max": high}
    return said if even == odd else said | {"parity": "even" if even else "odd"}


def _generator_problems(data: Record, scope: Scope) -> Iterator[tuple[int, str]]:
    own = scope.variable_type(data["variable"]) if is_id(data["variable"]) else ""
    methods = METHODS.get(own, ()) if own else [name for names in METHODS.values() for name in names]
    if data["method"] not in methods:
        yield 46, f"method {data['method']!r} is none of {', '.join(methods)}"
    elif problem := _arguments_problem(data["method"], data.get("arguments")):
        yield 47, f"arguments {problem}"


def _arguments_problem(method: str, arguments: object) -> str:
    items = sequence(arguments)
    if method == "randi":
        match items:
            case [low, high, bool(), bool(), bool()] if is_id(low) and is_id(high) and 0 <= low <= high - _GAP:
                return ""
            case _:
                return "must be [from, to, negative, even, odd] with 0 <= from and from + 2 <= to"
    if method == "ascii":
        match items:
            case [str(), length] if is_id(length) and length >= 1:
                return ""
            case _:
                return "must be [pool, length] with a length of at least 1"
    return "must be one text" if method == "strst" and not isinstance(arguments, str) else ""


GENERATOR = NodeType(
    "generator",
    "Puts a random value into a variable. Slot 0 = continue. dice, and ranges across zero, become several nodes.",
    fields=(variable_field(46),),
    said={
        "generator_type": {
            "type": "string",
            "enum": ["random_int", "random_bool", "dice", "ascii", "strst"],
            "description": "random_int, dice: number variable; random_bool: yes/no; ascii (random letters), "
            "strst (one of choices): text",
        },
        "min": {"type": "integer"},
        "max": {"type": "integer", "description": "at least min + 2"},
        "parity": {"type": "string", "enum": ["even", "odd"]},
        "dice": {"type": "string", "description": "e.g. 2d6+3"},
        "pool": {"type": "string", "description": "ascii: letters to draw from"},
        "length": {"type": "integer", "description": "ascii: how many letters"},
        "choices": {"type": "array", "items": {"type": "string"}, "description": "strst"},
    },
    rewrite=_lower_generator,
    rewrite_lift=_lift_generator,
    own_fields=(Field("method", Made(), "rnbln", "generator_type", 46),),
    own_problems=_generator_problems,
    detach=lambda data, resource_id, _scope: (
        {"method": "rnbln", "arguments": None} if data.get("variable") == resource_id else {}
    ),
    expects="variable",
)

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
    custom = _custom(given.get("custom"), type_name)
    return Blueprint((Part("user_input", {"prompt": prompt, "variable": variable, "custom": custom}),))


def _match_input(said: object, type_name: str, variable: int) -> None:
    if said is None:
        return
    needed = _INPUTS.get(text(said))
    if needed is None:
        raise mismatch(f"No input_type {said!r}; possible: {', '.join(_INPUTS)}.")
    if needed != type_name:
        fitting = [name for name, type_ in _INPUTS.items() if type_ == type_name]
        raise mismatch(
            f"input_type {said} needs a variable of type {needed} and variable {variable} is of "
            f"type {type_name}; use {' '.join(fitting)}, or another variable."
        )


def _custom(given: object, type_name: str) -> list[Any]:
    defaults = CUSTOM.get(type_name, {})
    values = _named_custom(given, defaults)
    custom = [_custom_value(name, value, defaults[name]) for name, value in values.items()]
    if type_name == "num":
        least, most, step, value = custom
        value = value if isinstance(given, list) or "value" in given_names(given) else min(max(value, least), most)
        custom = [least, most, step, value]
    problem = custom_problem(custom, type_name)
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
    unknown = [name for name in named if name not in defaults]
    if unknown:
        raise mismatch(f'"custom" has no {unknown[0]!r} for this variable; it holds {", ".join(defaults)}.')
    return defaults | named


def _custom_value(name: str, value: object, default: object) -> Any:
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise mismatch(f'"{name}" must be true or false, not {value!r}.')
        return value
    if isinstance(default, int):
        return whole(name, value)
    if not isinstance(value, str):
        raise mismatch(f'"{name}" must be a text, not {value!r}.')
    return clean(value)


def compiles(pattern: str) -> bool:
    """Whether a pattern compiles, as far as Python can tell of Godot's (PCRE) and the browser's syntax."""
    pythonic = re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", pattern)
    pythonic = re.sub(r"\\[pP](\{[^}]*\}|[A-Z])", r"\\w", pythonic)
    try:
        re.compile(pythonic)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def custom_problem(custom: list[Any], type_name: str) -> str:
    """What is wrong with a complete ``custom`` of the right shape."""
    if type_name == "num":
        least, most, step, value = custom
        if least >= most or not 1 <= step <= most - least:
            return "needs min < max and 1 <= step <= max - min"
        if not least <= value <= most:
            return "needs a value from min to max"
    if type_name == "str" and not compiles(custom[0]):
        return "has a pattern that does not compile"
    return ""


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


def _input_problems(data: Record, scope: Scope) -> Iterator[tuple[int, str]]:
    own = scope.variable_type(data["variable"]) if is_id(data["variable"]) else ""
    custom = data["custom"]
    if not isinstance(custom, list):
        yield 48, "custom must be an array"
    elif own in CUSTOM:
        defaults = list(CUSTOM[own].values())
        shaped = len(sequence(custom)) == len(defaults) and all(
            type(item) is type(default) for item, default in zip(sequence(custom), defaults, strict=True)
        )
        if not shaped:
            yield 48, f"custom must hold {', '.join(CUSTOM[own])} for a variable of type {own}"
        elif problem := custom_problem(sequence(custom), own):
            yield 49, f"custom {problem}"


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
    rewrite_lift=_lift_input,
    own_fields=(Field("custom", Made(), [], "custom", 48),),
    own_problems=_input_problems,
    detach=lambda data, resource_id, _scope: {"custom": []} if data.get("variable") == resource_id else {},
    expects="variable",
)
