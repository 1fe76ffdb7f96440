"""Questions about the story, answered from its graph."""

import re
from collections.abc import Callable, Iterable
from itertools import chain, islice

from agent.local.parsing import Words, child, first_ref, token
from agent.local.resolver import Resolver, called, counted
from agent.local.steps import NotDone
from agent.local.values import shown
from arrow_project import Character, Node, Story, Variable, shorten

More = Callable[[Story, Node], str]

_LISTED = 60
_TOLD = 5_000  # characters of a text
_RAISES = ("raise", "increase", "go up", "rise")
_LOWERS = ("lower", "decrease", "go down", "fall")


def answer_from_story(words: Words, refer: Resolver) -> str:
    """The answer to a question of the grammar.

    Raises:
        NotDone: It names something that the story does not have; then it may be about the documents.
    """
    return _ANSWERS[str(words.data)](refer, words)


def _dead_ends(refer: Resolver, words: Words) -> str:
    return _found(refer, words, refer.story.dead_ends, "from which nothing leads on", _open_outputs)


def _open_outputs(story: Story, node: Node) -> str:
    free = [node.output_name(slot) for slot in islice(story.free_outputs(node.id), _LISTED)]
    return f": {', '.join(free)}" if any(free) else ""


def _unreachable(refer: Resolver, words: Words) -> str:
    return _found(refer, words, refer.story.unreachable, "that cannot be reached from the beginning")


def _speeches(refer: Resolver, words: Words) -> str:
    try:
        character = refer.character(first_ref(words))
    except NotDone:
        return _node(refer, words)
    spoken = (node for node in refer.story.nodes.values() if node.speaker_id == character.id)
    return _found(refer, words, spoken, f"of “{character.name}”")


def _speakers(refer: Resolver, words: Words) -> str:
    found = _within(refer, words, refer.story.nodes.values())
    counts: dict[str, list[int]] = {}
    for node in found:
        if name := refer.story.speaker(node):
            counts.setdefault(name, []).append(node.id)
    lines = (f"{name}: {', '.join(map(str, keys))}" for name, keys in counts.items())
    return _list("speaker", len(counts), lines, "")


def _changes(refer: Resolver, words: Words) -> str:
    variable = refer.variable(first_ref(words))
    said = " ".join(token(words, "CHANGES").casefold().split())
    wanted = 1 if said.startswith(_RAISES) else -1 if said.startswith(_LOWERS) else 0
    found = (node for node in refer.story.changing(variable) if wanted in (0, node.direction))
    what = {1: "raises", -1: "lowers"}.get(wanted, "changes")
    return _found(refer, words, found, f"that {what} “{variable.name}”")


def _uses(refer: Resolver, words: Words) -> str:
    _, thing = refer.thing(first_ref(words), ("variable", "character"))
    assert isinstance(thing, Variable | Character)
    return _found(refer, words, refer.story.users(thing), f"that uses “{thing.name}”")


def _after(refer: Resolver, words: Words) -> str:
    story, node = refer.story, refer.node(first_ref(words))
    links, after = story.leaving(node.id), story.followers(node.id)
    lines = (story.describe_way(node.id, link.from_slot, link.to_id) for link in links)
    besides = (story.describe(key) for key in after[len(links) :])
    return _list("node", len(after), chain(lines, besides), f"after {story.describe(node.id)}")


def _before(refer: Resolver, words: Words) -> str:
    story, node = refer.story, refer.node(first_ref(words))
    links = story.leading_to(node.id)
    lines = (story.describe_way(link.from_id, link.from_slot) for link in links)
    return _list("node", len(links), lines, f"before {story.describe(node.id)}")


def _choices(refer: Resolver, words: Words) -> str:
    node = refer.node(first_ref(words))
    if node.type not in ("interaction", "dialog"):
        return f"{refer.story.describe(node.id)} has no choices."
    targets = {link.from_slot: link.to_id for link in refer.story.leaving(node.id)}
    lines = (
        text + (f" → {refer.story.describe(targets[slot])}" if slot in targets else ", from which nothing follows")
        for slot, text in enumerate(node.outputs)
    )
    return _list("choice", len(node.outputs), lines, f"at node {node.id}")


def _node(refer: Resolver, words: Words) -> str:
    node = refer.node(first_ref(words))
    scene = refer.story.scenes[node.scene_id].name
    texts = node.texts
    more = [f"… and {len(texts) - _LISTED} more"] if len(texts) > _LISTED else []
    told = "\n".join([*(f"“{text[:_TOLD]}{'…' * (len(text) > _TOLD)}”" for text in texts[:_LISTED]), *more])
    return f"{refer.story.describe(node.id)}, in the scene “{scene}”.{chr(10) if told else ''}{told}"


def _lists(refer: Resolver, words: Words) -> str:
    kind, story = token(words, "RESOURCES").casefold(), refer.story
    if kind == "nodes":
        nodes = _within(refer, words, story.nodes.values())
        count, lines = len(nodes), (story.describe(node.id) for node in nodes)
    elif kind == "characters":
        people = story.characters.values()
        tags = {one.id: "".join(f", {key} = {value}" for key, value in one.tags.items()) for one in people}
        count, lines = len(people), (f"{one.name} ({one.id}{tags[one.id]})" for one in people)
    elif kind == "variables":
        named = story.variables.values()
        count, lines = len(named), (f"{one.name} ({one.id}), starts at {shown(one.initial)}" for one in named)
    else:
        scenes = [one for one in story.scenes.values() if one.is_macro == (kind == "macros")]
        sizes = {one.id: counted(len(one.node_ids), "node") for one in scenes}
        count = len(scenes)
        lines = (f"{one.name} ({one.id}): {sizes[one.id]}, begins at {one.entry}" for one in scenes)
    return _list(kind.removesuffix("s"), count, lines, "")


def _how_many(refer: Resolver, words: Words) -> str:
    return _lists(refer, words).partition("\n")[0].rstrip(":.") + "."


def _begins(refer: Resolver, words: Words) -> str:
    whole = token(words, "WHOLE").casefold()
    entry = refer.open_scene.entry if whole == "scene" else refer.story.entry
    return f"The {whole} begins at {refer.story.describe(entry)}."


def _start(refer: Resolver, words: Words) -> str:
    variable: Variable = refer.variable(first_ref(words))
    return f"{called(variable)} starts at {shown(variable.initial)}."


def _selection(refer: Resolver, _words: Words) -> str:
    lines = map(refer.story.describe, refer.selected)
    return _list("node", len(refer.selected), lines, "that you have selected")


def _within(refer: Resolver, words: Words, nodes: Iterable[Node]) -> list[Node]:
    """Those of a scene, where one is named."""
    scene = child(words, "scene_ref")
    here = scene is not None or token(words, "WHOLE").casefold() == "scene"
    wanted = None if not here else (refer.open_scene if scene is None else refer.scene(scene)).id
    return [node for node in nodes if wanted in (None, node.scene_id)]


def _found(refer: Resolver, words: Words, nodes: Iterable[Node], what: str, more: More = lambda *_: "") -> str:
    """The nodes with the scenes that they are in, where that is not said already."""
    story, found = refer.story, _within(refer, words, nodes)
    names = {key: f", in “{story.scenes[key].name}”" for key in {node.scene_id for node in found}}
    title = next(iter(names.values())) if len(names) == 1 else ""
    lines = (f"{story.describe(one.id)}{more(story, one)}{'' if title else names[one.scene_id]}" for one in found)
    return _list("node", len(found), lines, f"{what}{title}")


def _list(kind: str, count: int, lines: Iterable[str], what: str) -> str:
    """So many, and the first of them: only those are put into words, as each may name what has a long name."""
    told = what if count == 1 else re.sub(r"^that (\w+)s\b", r"that \1", what)
    title = f"{counted(count, kind)} {told}".strip()
    more = [f"- … and {count - _LISTED} more"] if count > _LISTED else []
    shown_lines = [f"- {shorten(line, 200)}" for line in islice(lines, _LISTED)]
    return "\n".join([f"{title}:" if count else f"{title}.", *shown_lines, *more])


_ANSWERS: dict[str, Callable[[Resolver, Words], str]] = {
    "ask_dead_ends": _dead_ends, "ask_unreachable": _unreachable, "ask_speeches": _speeches,
    "ask_speakers": _speakers, "ask_changes": _changes, "ask_uses": _uses, "ask_after": _after,
    "ask_before": _before, "ask_choices": _choices, "ask_node": _node, "ask_list": _lists, "ask_count": _how_many,
    "ask_begins": _begins, "ask_start_value": _start, "ask_selection": _selection,
}  # fmt: skip
