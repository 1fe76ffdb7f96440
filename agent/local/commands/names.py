"""`rename X to Y` and `delete X` where nobody says what X is."""

from collections.abc import Callable, Mapping

from agent.local.desk import Desk
from agent.local.names import Named, join, matching
from agent.local.phrase import Phrase
from agent.local.rule import Words, rule
from agent.local.steps import NotDone, Steps
from agent.local.story import Story

_SETS: tuple[tuple[str, Callable[[Story], Mapping[int, Named]]], ...] = (
    ("character", lambda story: story.characters),
    ("variable", lambda story: story.variables),
    ("scene", lambda story: story.scenes),
)


def _rename(desk: Desk, words: Words) -> Steps[str]:
    kind, thing, label = _find(desk, words["thing"])
    name = words["name"].text
    yield from desk.call(f"update_{kind}", {f"{kind}_id": thing, "name": name})
    return f"Renamed the {kind} {label} to “{name}”."


def _delete(desk: Desk, words: Words) -> Steps[str]:
    kind, thing, label = _find(desk, words["thing"])
    yield from desk.call(f"delete_{kind}", {f"{kind}_id": thing, "force": "force" in words})
    return f"Deleted the {kind} {label}."


def _find(desk: Desk, words: Phrase) -> tuple[str, int, str]:
    """Kind, id and label of what the words mean; a node only if nothing else is named so."""
    references = desk.references()
    story = references.story
    found = [(kind, thing) for kind, things in _SETS for thing in matching(words.text, things(story).values())]
    if len(found) > 1:
        choices = join([f"{kind} {thing.name} ({thing.id})" for kind, thing in found], "or")
        raise NotDone(f"“{words.text}” may mean {choices}. Say which, with its kind.")
    if found:
        kind, thing = found[0]
        return kind, thing.id, f"“{thing.name}” ({thing.id})"
    try:
        node = references.node(words)
    except NotDone as problem:
        raise NotDone(f"No character, variable or scene is named “{words.text}”. {problem}") from None
    return "node", node.id, story.describe(node.id)


RULES = (
    rule(r"rename (?P<thing>.+?) (?:to|as|into) (?P<name>.+)", _rename, loose=True),
    rule(
        r"(?:delete|remove|erase) (?P<thing>.+?)(?P<force> (?:by force|with force|forced|anyway))?", _delete, loose=True
    ),
)
"""The commands that name something without its kind."""
