"""Commands on variables."""

import re
from typing import Any

from agent.local.desk import Desk, created_id
from agent.local.expressions import AND
from agent.local.names import fold, plain_name
from agent.local.rule import ADD, CHANGE, COLON, DELETE, FORCE, NAMED, NO_NAME, NOTE, NOTES, THE, TO, Words, rule
from agent.local.steps import NotDone, Steps
from agent.local.values import EMPTY, TYPE_WORDS, read_value, shown, type_of, value_for, value_of_type

_ASSIGNMENT = re.compile(r"(?P<name>[^=:]+?)\s*[:=]\s*(?P<value>.+)", re.DOTALL)
_TYPES = "|".join(sorted(TYPE_WORDS, key=len, reverse=True))


def _create(desk: Desk, words: Words) -> Steps[str]:
    name = plain_name(words["name"])
    taken = [variable for variable in desk.story().variables.values() if fold(variable.name) == fold(name)]
    if taken:
        raise NotDone(f"There is already a variable “{taken[0].name}” ({taken[0].id}) = {shown(taken[0].initial)}.")
    if "value" not in words and "type" not in words and "type2" not in words:
        yield from desk.call("create_variable", {"name": name})  # the user is asked what it holds
    kind, initial = _typed(words, name)
    arguments: dict[str, Any] = {"name": name, "type": kind, "initial_value": initial}
    if "notes" in words:
        arguments["notes"] = words["notes"].text
    answer = yield from desk.call("create_variable", arguments)
    return f"Created the variable “{name}” ({created_id(answer)}), {kind}, = {shown(initial)}."


def _create_several(desk: Desk, words: Words) -> Steps[str]:
    told: list[str] = []
    for part in words["list"].split(AND):
        found = part.match(_ASSIGNMENT)
        if found is None:
            raise NotDone(f"“{part.text}” has no value. Say “create a variable {part.text} = 10”.")
        told.append((yield from _create(desk, found)))
    return " ".join(told)


def _typed(words: Words, name: str) -> tuple[str, Any]:
    word = words.get("type") or words.get("type2")
    kind = TYPE_WORDS[word.masked.casefold()] if word else None
    if "value" in words:
        value = value_of_type(kind, words["value"], f"“{name}”") if kind else read_value(words["value"])
        return kind or type_of(value), value
    if kind is None:
        raise NotDone(
            f"What does “{name}” hold? Say “create a variable {name} = 10” or “create a text variable {name}”."
        )
    return kind, EMPTY[kind]


def _set_initial(desk: Desk, words: Words) -> Steps[str]:
    variable = desk.references().variable(words["variable"])
    value = value_for(variable, words["value"])
    yield from desk.call("update_variable", {"variable_id": variable.id, "initial_value": value})
    return f"“{variable.name}” ({variable.id}) now starts at {shown(value)}; it was {shown(variable.initial)}."


def _rename(desk: Desk, words: Words) -> Steps[str]:
    variable, name = desk.references().variable(words["variable"]), words["name"].text
    yield from desk.call("update_variable", {"variable_id": variable.id, "name": name})
    return f"Renamed the variable “{variable.name}” ({variable.id}) to “{name}”."


def _note(desk: Desk, words: Words) -> Steps[str]:
    variable = desk.references().variable(words["variable"])
    yield from desk.call("update_variable", {"variable_id": variable.id, "notes": words["text"].text})
    return f"Noted on the variable “{variable.name}” ({variable.id}): {words['text'].text}"


def _delete(desk: Desk, words: Words) -> Steps[str]:
    variable = desk.references().variable(words["variable"])
    yield from desk.call("delete_variable", {"variable_id": variable.id, "force": "force" in words})
    return f"Deleted the variable “{variable.name}” ({variable.id})."


_INITIAL = r"(?:initial|starting|start|default)"
_STARTS = r"(?: that| which)? start(?:s|ing)? (?:at|with|as)"
_VALUE = rf"(?:\s*(?::?=|:)| with {THE}(?:initial )?value(?: of)?| set to|{_STARTS}| of value| as)"

RULES = (
    rule(
        rf"{ADD} {THE}(?:(?P<type>{_TYPES}) )?variable(?![ _]update) {NAMED}{NO_NAME}(?P<name>.+?)"
        rf"(?:{_VALUE}\s*(?P<value>.+?))?"
        rf"(?:,? \(?(?:of )?type (?P<type2>{_TYPES})\)?)?{NOTES}",
        _create,
    ),
    rule(
        rf"{CHANGE} {THE}(?:{_INITIAL} )?value of {THE}(?:variable )?(?P<variable>.+?){TO}(?P<value>.+)", _set_initial
    ),
    rule(rf"{CHANGE} (?P<variable>.+?)['’]s (?:{_INITIAL} )?value{TO}(?P<value>.+)", _set_initial),
    rule(rf"{ADD} {THE}variables (?P<list>.+)", _create_several),
    rule(rf"{CHANGE} {THE}variable (?P<variable>.+?){TO}(?P<value>.+)", _set_initial),
    rule(rf"rename {THE}variable (?P<variable>.+?) (?:to|as|into) (?P<name>.+)", _rename),
    rule(rf"{NOTE} {THE}variable (?P<variable>[^:]+?){COLON}(?P<text>.+)", _note),
    rule(rf"{DELETE} {THE}variable (?P<variable>.+?){FORCE}", _delete),
)
"""The commands on variables."""
