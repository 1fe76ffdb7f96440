"""The node type generator: random values, from Arrow's own to dice."""

import re
from collections.abc import Iterator
from typing import Any

from arrow_project.node_types.comparing import LITERAL, VARIABLE, type_of, variable_field
from arrow_project.node_types.kinds import UNSET, Made, Scope, clean, mismatch, whole
from arrow_project.node_types.node_type import Blueprint, DataProblem, Field, NodeType, Part, chain
from arrow_project.values import LONGEST_TEXT, TOO_LONG, Record, integer, is_id, sequence, shown, text

METHODS = {"num": ("randi",), "str": ("ascii", "strst"), "bool": ("rnbln",)}
_SAID = {"random_int": "randi", "random_bool": "rnbln", "dice": "dice"}
_TYPE_OF = {"randi": "num", "dice": "num", "rnbln": "bool", "ascii": "str", "strst": "str"}
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "randi": ("min", "max", "parity"),
    "dice": ("dice",),
    "rnbln": (),
    "ascii": ("pool", "length"),
    "strst": ("choices",),
}
_EVERY_ARGUMENT = tuple(name for names in _ARGUMENTS.values() for name in names)
_DICE = re.compile(r"\s*+(\d{0,18})\s*+[dD]\s*+(\d{1,18})\s*+(?:([+-])\s*+(\d{1,18}))?\s*")
_MOST_DICE = 10
_GAP = 2


def _lower_generator(given: Record, scope: Scope) -> Blueprint:
    if given.get("variable", UNSET) in (UNSET, None):
        if given.get("generator_type", "random_bool") != "random_bool" or _strays(given, ()):
            raise mismatch('A generator needs "variable": the id or name of the variable that it fills.')
        return Blueprint((Part("generator", GENERATOR.fresh()),))
    variable = scope.find("variable", given["variable"])
    method = _method(given, scope.variable_type(variable), variable)
    own = _ARGUMENTS[method]
    if strays := _strays(given, own):
        said = {native: name for name, native in _SAID.items()}.get(method, method)
        taken = ", ".join(own) or "nothing"
        # An example of the protocol lists the arguments of every type beside the one that is named. Where all that is
        # given belongs to another type, that one may be meant.
        if "generator_type" not in given or (own and given.keys().isdisjoint(own)):
            raise mismatch(f'"{strays[0]}" does not go with {said}, which takes {taken}.')
        scope.remark(f"{said} takes {taken}: {', '.join(strays)} left out.")
    if method == "dice":
        return _dice(variable, given.get("dice"), scope)
    if method == "randi":
        low, high = whole("min", given.get("min", 0)), whole("max", given.get("max", 100))
        return _random_number(variable, low, high, given.get("parity"), scope)
    return Blueprint((_generator(variable, method, _arguments(method, given)),))


def _strays(given: Record, taken: tuple[str, ...]) -> list[str]:
    return [name for name in _EVERY_ARGUMENT if name not in taken and given.get(name) is not None]


def _outdated(said: Record, named: Record, scope: Scope) -> tuple[str, ...]:
    """What was drawn so far, where another way of drawing is asked for."""
    type_name = scope.variable_type(integer(said.get("variable")))
    if "variable" in named and type_of(named["variable"], scope) != type_name:
        return ("generator_type", *_EVERY_ARGUMENT)
    if "dice" in named or named.get("generator_type", said["generator_type"]) != said["generator_type"]:
        return ("generator_type", *_EVERY_ARGUMENT)
    return ()


def _method(given: Record, type_name: str, variable: int) -> str:
    default = "dice" if "dice" in given else (METHODS.get(type_name) or ("",))[0]
    said = given.get("generator_type", default)
    method = _SAID.get(text(said), text(said))
    if method not in _TYPE_OF:
        raise mismatch(f"No generator_type {shown(said)}; possible: {', '.join([*_SAID, 'ascii', 'strst'])}.")
    if _TYPE_OF[method] != type_name:
        possible = [name for name in (*_SAID, "ascii", "strst") if _TYPE_OF[_SAID.get(name, name)] == type_name]
        raise mismatch(
            f"{shown(said)} needs a variable of type {_TYPE_OF[method]} and variable {variable} is of "
            f"type {type_name}; possible: {', '.join(possible)}."
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
        joined = "|".join(choices)
        if len(joined) > LONGEST_TEXT:
            raise mismatch(f'"choices" have together {TOO_LONG}')
        return joined
    return None


def _random_number(variable: int, low: int, high: int, parity: object, scope: Scope) -> Blueprint:
    if high < low + _GAP:
        raise mismatch(f'"max" must be at least "min" + {_GAP} in Arrow, not {low} to {high}.')
    if parity not in (None, "even", "odd"):
        raise mismatch(f'"parity" is "even" or "odd", not {shown(parity)}.')
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
        raise mismatch(f'"dice" must look like "2d6+3", not {shown(notation)}.')
    count, sides = int(match[1] or 1), int(match[2])
    bonus = int(f"{match[3]}{match[4]}") if match[3] else 0
    if not 1 <= count <= _MOST_DICE or sides <= _GAP or max(sides, abs(bonus)) >= 2**31:
        raise mismatch(f"Dice may be 1 to {_MOST_DICE} of 3 or more sides, not {shown(notation)}.")
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


def _generator_problems(data: Record, scope: Scope) -> Iterator[DataProblem]:
    own = scope.variable_type(data["variable"]) if is_id(data["variable"]) else ""
    every = tuple(name for names in METHODS.values() for name in names)
    methods = METHODS.get(own, every)
    if data["method"] not in methods:
        # a method of another type: it may be the variable that is wrong
        fields = ("variable", "method") if data["method"] in every else ("method",)
        yield DataProblem(46, f"method {shown(data['method'])} is none of {', '.join(methods)}", fields)
    elif problem := _arguments_problem(data["method"], data.get("arguments")):
        yield DataProblem(47, f"arguments {problem}", ("arguments",))


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
    outdated=_outdated,
    rewrite_lift=_lift_generator,
    own_fields=(Field("method", Made(), "rnbln", "generator_type", 46),),
    own_problems=_generator_problems,
    detach=lambda data, resource_id, _scope: (
        {"method": "rnbln", "arguments": None} if data.get("variable") == resource_id else {}
    ),
    expects="variable",
    decides="variable",
)
