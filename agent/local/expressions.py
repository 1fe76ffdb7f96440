"""Conditions, changes of variables and tags as people write them, in the protocol's form."""

import re
from typing import Any

from agent.local.phrase import Phrase
from agent.local.references import References
from agent.local.steps import NotDone
from agent.local.story import Variable
from agent.local.values import COMPARISON, comparison_sign, value_for

Preset = dict[str, Any]

AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
"""What stands between the parts of an enumeration."""

_CHECKS = re.compile(
    r"^\s*(?:(?:that\s+)?(?:checks?|checking|tests?|testing)\s+)?(?:(?:if|that|whether|when|where)\s+)?", re.IGNORECASE
)
_TAG = re.compile(r"(?P<key>.+?)\s*(?P<sign>!=|=|:|\s+is\s+not\s+|\s+is\s+|\s+to\s+)\s*(?P<value>.+)", re.IGNORECASE)

_UPDATES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), operation)
    for pattern, operation in (
        (r"set\s+(?P<name>.+?)\s*(?:\s+to\s+|:?=)\s*(?P<value>.+)", "set"),
        (r"add\s+(?P<value>.+?)\s+to\s+(?P<name>.+)", "add"),
        (r"(?:increase|raise|increment)\s+(?P<name>.+?)(?:\s+by\s+(?P<value>.+))?", "add"),
        (r"(?:subtract|take|remove)\s+(?P<value>.+?)\s+from\s+(?P<name>.+)", "subtract"),
        (r"(?:decrease|lower|reduce|decrement)\s+(?P<name>.+?)(?:\s+by\s+(?P<value>.+))?", "subtract"),
        (r"multiply\s+(?P<name>.+?)\s+(?:by|with)\s+(?P<value>.+)", "multiply"),
        (r"divide\s+(?P<name>.+?)\s+by\s+(?P<value>.+)", "divide"),
        (r"(?P<name>[^+*/=-]+?)\s*\+=\s*(?P<value>.+)", "add"),
        (r"(?P<name>[^+*/=-]+?)\s*-=\s*(?P<value>.+)", "subtract"),
        (r"(?P<name>[^+*/=-]+?)\s*\*=\s*(?P<value>.+)", "multiply"),
        (r"(?P<name>[^+*/=-]+?)\s*/=\s*(?P<value>.+)", "divide"),
        (r"(?P<name>[^+*/=-]+?)\s*(?::?=)\s*(?P<value>.+)", "set"),
    )
)


def read_update(words: Phrase, references: References) -> Preset | None:
    """The data of a variable update such as `add 5 to gold`; None when the words are none."""
    for pattern, operation in _UPDATES:
        if found := words.match(pattern):
            variable = references.variable(found["name"])
            value = _operand(variable, found.get("value") or words.part("1"), references)
            return {"variable": variable.id, "operation": operation, "value": value}
    return None


def read_condition(words: Phrase, references: References) -> Preset:
    """The data of a condition such as `gold >= 10`; a bare name asks whether it is true."""
    plain = words.part(_CHECKS.sub("", words.masked, count=1))
    found = plain.match(COMPARISON)
    if found is None:
        return _truth(plain, references)
    variable = references.variable(found["variable"])
    operand = _operand(variable, found["value"], references)
    return {"variable": variable.id, "operator": comparison_sign(found["sign"].masked), "compare_to": operand}


def read_tags(words: Phrase) -> list[tuple[str, str, str]]:
    """Each of `role = mage, has key, faction is not Rebels` as key, sign (`=`, `!=` or `has`) and value."""
    parts = words.split(AND)
    return [read_tag(part) for part in parts]


def read_tag(words: Phrase) -> tuple[str, str, str]:
    """One such tag as key, sign and value."""
    plain = words.part(
        re.sub(r"^(?:if\s+)?(?:set|tag|has|key|with)\s+(?:the\s+)?(?:tag\s+)?", "", words.masked, flags=re.IGNORECASE)
    )
    found = plain.match(_TAG)
    if found is None:
        return plain.text, "has", ""
    sign = "!=" if found["sign"].masked.strip().casefold() in ("!=", "is not") else "="
    return found["key"].text, sign, found["value"].text


def _truth(words: Phrase, references: References) -> Preset:
    if words.is_empty:
        raise NotDone("A condition needs what to check, such as “add a condition gold >= 10”.")
    negated = re.match(r"\s*not\s+", words.masked, re.IGNORECASE)
    variable = references.variable(words.part(words.masked[negated.end() :]) if negated else words)
    if variable.type != "bool":
        raise NotDone(f"The condition on “{variable.name}” needs a comparison, such as “{variable.name} >= 10”.")
    return {"variable": variable.id, "operator": "==", "compare_to": {"type": "value", "value": negated is None}}


def _operand(variable: Variable, words: Phrase, references: References) -> Preset:
    """A value, or the variable of the same type that the words name."""
    others = references.story.variables.values()
    named = [
        other for other in others if other.name == words.text and not words.is_quoted and other.type == variable.type
    ]
    bare = re.match(r"\s*(?:the\s+)?variable\s+", words.masked, re.IGNORECASE)
    if named or bare:
        return {"type": "variable", "value": references.variable(words).id}
    return {"type": "value", "value": value_for(variable, words)}
