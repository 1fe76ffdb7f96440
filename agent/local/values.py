"""Values, comparisons, changes of variables and colors, from the grammar's words to the form of the tools."""

import re
from typing import Any

from agent.local.parsing import Words, child, token
from agent.local.resolver import Resolver
from agent.local.steps import NotDone
from arrow_project import Variable

_TYPES = {"num": "a number", "str": "a text", "bool": "true or false"}
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SIGNS = {
    "=": "==", "is": "==", "equals": "==", "is not": "!=", "is at least": ">=", "is at most": "<=",
    "is greater than": ">", "is more than": ">", "is above": ">", "is less than": "<", "is below": "<",
}  # fmt: skip
OPERATORS = {"=": "set", "+=": "add", "-=": "subtract", "*=": "multiply", "/=": "divide"}
STARTS = {"num": 0, "str": "", "bool": False}
_COLORS = {
    "red": "#e04040", "orange": "#ff8300", "yellow": "#f2c94c", "green": "#3fa34d", "teal": "#2a9d8f",
    "blue": "#4a90e2", "purple": "#8e44ad", "violet": "#8e44ad", "pink": "#e26ab1", "brown": "#8d5a2b",
    "black": "#202020", "white": "#f5f5f5", "gray": "#808080", "grey": "#808080",
}  # fmt: skip

Value = bool | int | str


def read_number(words: Words) -> int:
    """The number that was named in digits or in words."""
    said = token(words, "NUMBER", "NUMBER_WORD").casefold()
    return _NUMBERS.index(said) if said in _NUMBERS else int(said)


def read_value(words: Words, wanted: str = "", name: str = "It") -> Value:
    """A `value` as the variable `name` of the type `wanted` has it; by its looks where that is empty.

    Raises:
        NotDone: It is none.
    """
    quotation, said = token(words, "QUOTED"), token(words, "NUMBER", "NUMBER_WORD", "REF")
    value: Value = quotation or said
    if not quotation and said.casefold() in _BOOLEANS and wanted != "str":
        value = _BOOLEANS[said.casefold()]
    elif not quotation and wanted != "str" and (said.casefold() in _NUMBERS or re.fullmatch(r"-?\d+", said)):
        value = read_number(words) if said.casefold() in _NUMBERS else int(said)
    if wanted and type_of(value) != wanted:
        raise NotDone(f"{name} holds {_TYPES.get(wanted, wanted)}, and “{quotation or said}” is not.")
    if isinstance(value, str) and not quotation and " " in value:
        raise NotDone(f"A text of several words stands in quotation marks: “{value}”.")
    return value


def type_of(value: Value) -> str:
    """The type of a variable that holds the value."""
    return "bool" if isinstance(value, bool) else "num" if isinstance(value, int) else "str"


def read_condition(words: Words, refer: Resolver) -> dict[str, Any]:
    """The data of a condition such as `gold >= 10`; a bare name asks whether it is true."""
    variable = refer.variable(words)
    if (operand := child(words, "value")) is not None:
        sign = " ".join(token(words, "SIGN").casefold().split())
        operator, compared = _SIGNS.get(sign, sign), _operand(variable, operand, refer)
    elif variable.type == "bool":
        operator, compared = "==", {"type": "value", "value": not token(words, "NOT")}
    else:
        raise NotDone(f"The condition on “{variable.name}” needs a comparison, such as “{variable.name} >= 10”.")
    if variable.type != "num" and operator not in ("==", "!="):
        raise NotDone(f"“{variable.name}” holds {_TYPES[variable.type]}: it is compared with “is” or “is not” only.")
    return {"variable": variable.id, "operator": operator, "compare_to": compared}


def read_update(words: Words, refer: Resolver) -> dict[str, Any]:
    """The data of a variable update such as `add 5 to gold`."""
    name = words.data.removesuffix("_by")
    operation = OPERATORS[token(words, "OPERATOR")] if name == "operated" else "set" if name == "update" else name
    variable = refer.variable(child(words, "ref") or words)
    if (variable.type == "bool" and operation != "set") or (variable.type == "str" and operation not in ("set", "add")):
        raise NotDone(f"“{variable.name}” holds {_TYPES[variable.type]}: one cannot {operation} it.")
    operand = child(words, "value")
    value = {"type": "value", "value": 1} if operand is None else _operand(variable, operand, refer)
    return {"variable": variable.id, "operation": operation, "value": value}


def read_color(words: Words) -> str:
    """A color as the tools have it: six hexadecimal digits after `#`.

    Raises:
        NotDone: It is neither that nor one of the common color names.
    """
    said = token(words, "COLOR").casefold()
    if re.fullmatch(r"#?[0-9a-f]{6}", said):
        return f"#{said.lstrip('#')}"
    if said in _COLORS:
        return _COLORS[said]
    raise NotDone(f"“{said}” is no color. Say it as six digits, such as #4a90e2, or one of {', '.join(_COLORS)}.")


def shown(value: Any) -> str:
    """A value as the user would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"“{value}”" if isinstance(value, str) else str(value)


def _operand(variable: Variable, words: Words, refer: Resolver) -> dict[str, Any]:
    """A value, or the other variable of the same type that is named."""
    name = token(words, "REF")
    for other in refer.story.variables.values():
        if name and other.name == name.removeprefix("variable ") and other.type == variable.type:
            return {"type": "variable", "value": other.id}
    return {"type": "value", "value": read_value(words, variable.type, variable.name)}
