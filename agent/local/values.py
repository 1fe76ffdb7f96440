"""Values as people write them: typed, and compared or changed with words or signs."""

import re
from typing import Any, Literal

from agent.local.phrase import Phrase
from agent.local.steps import NotDone
from agent.local.story import Variable

VariableType = Literal["num", "str", "bool"]

TYPE_WORDS: dict[str, VariableType] = {
    "num": "num", "number": "num", "numeric": "num", "int": "num", "integer": "num",
    "str": "str", "string": "str", "text": "str",
    "bool": "bool", "boolean": "bool", "flag": "bool", "yes/no": "bool",
}  # fmt: skip
"""The protocol's variable type for each word."""

EMPTY: dict[VariableType, Any] = {"num": 0, "str": "", "bool": False}
"""What a variable holds when nobody said."""

_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.0+)?")
_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
    )
}
_TYPE_NAMES = {"num": "a whole number", "str": "a text", "bool": "true or false"}

_COMPARISONS = {
    "==": r"==?|is equal to|equals|equal to|is exactly|is",
    "!=": r"!=|<>|≠|is not equal to|does not equal|not equal to|is not|isn['’]t|differs from",
    ">=": r">=|≥|is at least|at least|is not less than|or more",
    "<=": r"<=|≤|is at most|at most|is not more than",
    ">": r">|is greater than|is more than|is above|is over|greater than|more than|above|exceeds",
    "<": r"<|is less than|is below|is under|less than|fewer than|below",
}  # fmt: skip
# The longest first: "is not" must not be read as "is".
_ALTERNATIVES = sorted(
    ((alternative, sign) for sign, words in _COMPARISONS.items() for alternative in words.split("|")),
    key=lambda pair: -len(pair[0]),
)
_SIGN = "|".join(
    rf"(?<!\w){words.replace(' ', chr(92) + 's+')}(?!\w)" if words[0].isalpha() else rf"{words}"
    for words, _ in _ALTERNATIVES
)
COMPARISON = re.compile(rf"(?P<variable>[^<>=!≠≤≥]+?)\s*(?P<sign>{_SIGN})\s*(?P<value>.+)", re.IGNORECASE | re.DOTALL)
"""`gold >= 10`, `gold is at least 10`, `has_key is true`."""


def comparison_sign(words: str) -> str:
    """The protocol's operator for what `COMPARISON` matched."""
    plain = " ".join(words.casefold().split())
    return next(sign for alternative, sign in _ALTERNATIVES if re.fullmatch(alternative, plain))


def read_value(words: Phrase) -> bool | int | str:
    """A value by its looks: quoted is text, then true or false, a number, and else text."""
    text = words.text
    if words.is_quoted:
        return text
    if text.casefold() in _BOOLEANS:
        return _BOOLEANS[text.casefold()]
    return int(float(text)) if _NUMBER.fullmatch(text) else text


def type_of(value: bool | int | str) -> VariableType:
    """The variable type that holds the value."""
    if isinstance(value, bool):
        return "bool"
    return "num" if isinstance(value, int) else "str"


def value_for(variable: Variable, words: Phrase) -> bool | int | str:
    """The value as the variable's type has it.

    Raises:
        NotDone: The words are no such value.
    """
    return value_of_type(variable.type, words, f"“{variable.name}”")


def value_of_type(wanted: str, words: Phrase, name: str) -> bool | int | str:
    """The value as a type has it; `name` says in the refusal whose value it was to be."""
    if wanted == "str":
        return words.text
    value = read_value(words)
    if wanted == "num" and not words.is_quoted and str(value).casefold() in _NUMBER_WORDS:
        value = _NUMBER_WORDS[str(value).casefold()]
    if type_of(value) == wanted and not words.is_quoted:
        return value
    raise NotDone(f"{name} holds {_TYPE_NAMES.get(wanted, wanted)}, and “{words.text}” is not.")


def shown(value: Any) -> str:
    """A value as the user would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"“{value}”" if isinstance(value, str) else str(value)
