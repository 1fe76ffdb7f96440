"""Conditions and changes of variables, as Yarn, Twee and Ink write them."""

import re

from arrow_project.scripts.dialogue import Comparison, ScriptError, VariableChange

_COMPARISON = re.compile(
    r"(?P<not>(?:not\b|!)\s*)?\$?(?P<name>[^\W\d]\w*)\s*"
    r"(?:(?P<sign>>=|<=|==|!=|>|<|\b(?:gte|lte|gt|lt|eq|neq|is not|isnot|is)\b)"
    r"\s*(?P<value>\$?\w+|\"[^\"]*\"|-?\d+))?"
)
_CHANGE = re.compile(r"\$?(?P<name>[^\W\d]\w*)\s*(?P<operator>[+*/-]?=|\bto\b|\+\+|--)\s*(?P<value>.*)")
_VALUE = re.compile(r"\$?\w+|-?\d+|\"[^\"]*\"")
_SIGNS = {"gte": ">=", "lte": "<=", "gt": ">", "lt": "<", "eq": "==", "neq": "!=", "is": "==", "is not": "!=",
          "isnot": "!="}  # fmt: skip
_OPERATORS = {"to": "=", "++": "+=", "--": "-="}


def read_comparison(words: str) -> Comparison:
    """A condition on one variable.

    Raises:
        ScriptError: It is more than that.
    """
    found = _COMPARISON.fullmatch(words.strip().strip("()").strip())
    if found is None:
        raise ScriptError(f"The condition “{words}” is more than a comparison of one variable.")
    sign = found["sign"] or ""
    return Comparison(found["name"], _SIGNS.get(sign, sign), (found["value"] or "").strip('"'), bool(found["not"]))


def read_change(words: str) -> VariableChange:
    """One variable that is given a value.

    Raises:
        ScriptError: It is more than that.
    """
    found = _CHANGE.fullmatch(words.strip())
    operator, value = (found["operator"], found["value"].strip()) if found else ("", "")
    if found is None or not (_VALUE.fullmatch(value) or (not value and operator in ("++", "--"))):
        raise ScriptError(f"The change “{words}” is more than one value for one variable.")
    return VariableChange(found["name"], _OPERATORS.get(operator, operator), value.strip('"') or "1")
