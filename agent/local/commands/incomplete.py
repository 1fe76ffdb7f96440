"""Commands that lack something: their call lacks it, too, so that the user is asked."""

from typing import Any

from agent.local.desk import Desk
from agent.local.names import Named, matching
from agent.local.rule import ADD, DELETE, THE, Words, rule
from agent.local.steps import NotDone, Steps
from agent.local.values import TYPE_WORDS


def _create_variable(desk: Desk, words: Words) -> Steps[str]:
    desk.story()
    kind = {"type": TYPE_WORDS[words["type"].masked.casefold()]} if "type" in words else {}
    return (yield from _ask(desk, "create_variable", kind))


def _create_character(desk: Desk, _words: Words) -> Steps[str]:
    desk.story()
    return (yield from _ask(desk, "create_character", {}))


def _connect(desk: Desk, words: Words) -> Steps[str]:
    origin = desk.references().node(words["node"])
    return (yield from _ask(desk, "create_connection", {"from_node_id": origin.id}))


def _rename(desk: Desk, words: Words) -> Steps[str]:
    node = desk.references().node(words["node"])
    return (yield from _ask(desk, "update_node", {"node_id": node.id}))


def _rename_resource(desk: Desk, words: Words) -> Steps[str]:
    kind = words["kind"].masked.casefold()
    story = desk.story()
    tables = {"variable": story.variables, "character": story.characters, "scene": story.scenes}
    things: list[Named] = [*tables[kind].values()]
    found = matching(words["name"].text, things) if "name" in words else []
    known = {f"{kind}_id": found[0].id} if len(found) == 1 else {}
    return (yield from _ask(desk, f"update_{kind}", known))


def _delete(desk: Desk, words: Words) -> Steps[str]:
    desk.story()
    return (yield from _ask(desk, f"delete_{words['kind'].masked.casefold()}", {}))


def _ask(desk: Desk, function: str, known: dict[str, Any]) -> Steps[str]:
    yield from desk.call(function, known)
    raise NotDone("Something is missing in it.")


_TYPES = "|".join(sorted(TYPE_WORDS, key=len, reverse=True))
_KIND = r"(?P<kind>variable|character|scene)"

FIRST_RULES = (
    rule(rf"{ADD} {THE}(?:(?P<type>{_TYPES}) )?variable", _create_variable, loose=True),
    rule(rf"{ADD} {THE}character", _create_character, loose=True),
)
"""What would be taken for a node: "text" is a type of both."""

RULES = (
    rule(r"(?:connect|link|wire|join) (?P<node>(?:node )?#?\d+)", _connect, loose=True),
    rule(r"rename (?:the )?(?P<node>(?:node )?#?\d+|node \S+)", _rename, loose=True),
    rule(rf"rename (?:the )?{_KIND}(?: (?P<name>.+))?", _rename_resource, loose=True),
    rule(rf"{DELETE} {THE}(?P<kind>node|variable|character|scene)", _delete, loose=True),
)
"""What nothing else fits."""
