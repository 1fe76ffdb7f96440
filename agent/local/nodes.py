"""New nodes: their data by type, and their place in the story."""

import re
from collections.abc import Sequence
from typing import Any

from lark import Token, Tree

from agent.local.draft import Draft
from agent.local.parsing import Words, child, children, hides_a_command, is_quoted, token, unquoted, without_refs
from agent.local.resolver import called, join, matching
from agent.local.slots import free_output, output_of
from agent.local.steps import NotDone, WordsMissing
from agent.local.values import read_color, read_condition, read_number, read_update
from arrow_project import Link, Node

_SPEECHES = {"dialogue": "dialog", "monologue": "monolog", "speech": "monolog"}
_UPDATES = ("update", "add", "subtract", "add_by", "subtract_by", "multiply_by", "divide_by", "operated")
_DETAILS = {"by": ("speaker", ("dialog", "monolog")), "titled": ("title", ("content", "marker", "entry", "frame")),
            "colored": ("color", ("frame",))}  # fmt: skip
_ITEMS = re.compile(r"(?<!\s)(?:\s+[/|]\s+|\s*[/|]\s*(?=[\"“„«])|(?<=[\"”»])\s*[/|]\s*)")
_COMMAS = re.compile(r"(?<!\s)(?:\s*,\s*(?:and\s+|or\s+)?|\s+or\s+)", re.IGNORECASE)
_ARROW = re.compile(r"(?<!\s)\s*(?:->|→|=>)\s*")
# A text's end that may be where its node leads, and a sentence behind the first that may be another node.
_PLACE = re.compile(
    r"(?i)(?:\b(?:then|to|at|see|into|from|after|before|behind|between|follow(?:s|ing)?)|[,:(](?=\s*(?:node|#)))\s*(?:nodes?\s+)?#?"
    r"(?P<ids>\d{1,18}(?:\s*(?:,|and|or)\s*\d{1,18})*)(?:\W|\b(?:please|pls|plz|thanks|thank\s+you)\b)*$"
)
_DEED = re.compile(
    r"(?i)(?:[.!?…][\"”’»)]*\s+(?:and\s+)?(?:(?:then|after\s+that|afterwards|next|later|finally)\b\W*)?|\s(?:then|after\s+that)\W+)"
    r"(?P<who>\w[\w’'-]*(?:\s+\w[\w’'-]*)??)\s+(?:says?|asks?|answers?|repl(?:y|ies)|shouts?|whispers?|speaks?|nods?|laughs?|leaves?"
    r"|enters?|exits?|comes?|goes|walks?|runs?|arrives?|returns?|sits?|stands?)\b"
)


def read_text(draft: Draft, words: Words | None, question: str) -> str:
    """What stands behind the colon or in quotation marks.

    Raises:
        WordsMissing: Nothing does.
        NotDone: A text without quotation marks may hold what is meant as a command.
    """
    plain, quotation = (token(words, "TEXT"), token(words, "QUOTED")) if words else ("", "")
    if plain and _is_doubtful(draft, plain):
        raise NotDone(f"I do not know where the text “{plain}” ends. Put it in quotation marks.")
    if not (plain or quotation).strip():
        raise WordsMissing(question)
    return plain or quotation


def _is_doubtful(draft: Draft, text: str) -> bool:
    """Whether a text without quotation marks may go over into a command, a place, or what another character does."""
    place, people = _PLACE.search(text), draft.story.characters.values()
    names = (name for found in _DEED.finditer(text) for name in (found["who"], found["who"].split()[0]))
    leads = place is not None and any(int(key) in draft.story.nodes for key in re.findall(r"\d+", place["ids"]))
    return leads or hides_a_command(text) or any(matching(name, people) for name in names)


def add_node(draft: Draft, words: Words, place: Words | None) -> None:
    """Makes the node that the words ask for, in its place; `place` may hold what stood before the command.

    Raises:
        NotDone: Something in it is not there, or does not go together.
    """
    kind, preset, targets = _data(draft, words)
    arguments: dict[str, Any] = {"type": kind, "preset": preset}
    if (noted := child(words, "noted")) is not None:
        arguments["notes"] = token(noted, "QUOTED")
    if (named := child(words, "named")) is not None:
        arguments["name"] = token(named, "QUOTED", "NAME")
    for rule, (what, types) in _DETAILS.items():
        if child(words, rule) is not None and kind not in types:
            raise NotDone(f"A {kind} has no {what}.")
    _placed(draft, words, place, arguments)
    node_id = draft.last_created
    for slot, target in enumerate(targets):
        if target is not None and node_id is not None:
            draft.connect(node_id, slot, target.id)


def _placed(draft: Draft, words: Words, place: Words | None, arguments: dict[str, Any]) -> None:
    where = [one for part in (place, words) if part is not None for one in children(part, "after", "before", "between")]
    if len(where) > 1:
        raise NotDone("Name one place: after a node, before one, or between two.")
    inside = child(words, "inside")
    scene_id = draft.refer.open_scene.id if inside is None else draft.refer.scene(inside).id
    into, out, to = _ways(draft, where[0]) if where else ([], [], None)
    ends = [link.from_id for link in into + out] + ([to] if to else [])
    scenes = {draft.story.nodes[key].scene_id for key in ends}
    if len(scenes) > 1 or (inside is not None and scenes - {scene_id}):
        raise NotDone("Connections stay within one scene, and these are in different scenes. Use a jump to go there.")
    for link in (one for one in into if one.to_id != -1):
        draft.cut(link.from_id, link.from_slot, link.to_id, link.to_slot)
    node_id = draft.create_node(**arguments, scene_id=next(iter(scenes), scene_id))
    for link in into:
        draft.connect(link.from_id, link.from_slot, node_id)
    _lead_on(draft, node_id, to, out[0].to_slot if out else 0)
    told = [f"after {draft.story.describe_way(link.from_id, link.from_slot)}" for link in into]
    told += [f"before {draft.story.describe(to)}"] if to else []
    alone = "; nothing leads to it yet" if draft.story.nodes[node_id].inputs else ""
    draft.told.append(f"Created {draft.story.describe(node_id)}{', ' if told else ''}{join(told) or alone}.")


def _ways(draft: Draft, where: Words) -> tuple[list[Link], list[Link], int | None]:
    """What shall lead to the new node (with the old target, -1 without one), and where the node leads on."""
    refer, story = draft.refer, draft.story
    first, *rest = (refer.node(one) for one in children(where, "ref"))
    if where.data == "before":
        return story.arriving(first.id), [], first.id
    first = story.nodes[draft.exit_of(first.id)]
    if where.data == "between":
        links = [link for link in story.leaving(first.id) if link.to_id == rest[0].id]
        if len(links) != 1:
            how = "does not lead" if not links else "leads in several ways"
            raise NotDone(f"Node {first.id} {how} to node {rest[0].id}, so it is not clear where between them.")
        return links, links, rest[0].id
    slot = output_of(story, first, child(where, "way"))
    slot = free_output(story, first, or_only=True) if slot is None else slot
    links = [link for link in story.leaving(first.id) if link.from_slot == slot]
    return (links, links, links[0].to_id) if links else ([Link(first.id, slot, -1, 0)], [], None)


def _lead_on(draft: Draft, node_id: int, to: int | None, to_slot: int) -> None:
    """Lets every output of a new node lead to what it was put before."""
    if to is None:
        return
    start, target = draft.story.nodes[draft.exit_of(node_id)], draft.story.nodes[to]
    if not start.outputs:
        raise NotDone(f"A {start.type} leads on to nothing, so it cannot stand before {draft.story.describe(to)}.")
    if not target.inputs:
        raise NotDone(f"Nothing can lead to {draft.story.describe(to)}: {target.type} nodes have no input.")
    for slot in range(len(start.outputs)):
        draft.connect(start.id, slot, to, to_slot)


def _data(draft: Draft, words: Words) -> tuple[str, dict[str, Any], Sequence[Node | None]]:
    """The type, its data in the form of the tools, and the nodes to which the options of a choice lead."""
    refer, name = draft.refer, str(words.data)
    if name in ("add_text", "say"):
        return *_text(draft, words), ()
    if name == "add_choice":
        return _choice(draft, words)
    if name == "add_condition":
        return "condition", read_condition(child(words, "comparison") or words, refer), ()
    if name in ("add_update", "update_here"):
        return "variable_update", read_update(child(words, *_UPDATES) or words, refer), ()
    if name in ("add_hub", "add_paths"):
        count = child(words, "number")
        kind = "hub" if name == "add_hub" else token(words, "PATHS_KIND").casefold().replace("ser", "zer")
        return kind, {"inputs" if kind == "hub" else "paths": 2 if count is None else read_number(count)}, ()
    if name == "add_jump":
        return "jump", {"target": jump_target(draft, child(words, "target") or words)}, ()
    if name == "add_label":
        return *_label(draft, words), ()
    if name == "add_macro_use":
        scene = refer.scene(child(words, "ref") or words)
        if not scene.is_macro:
            raise NotDone(f"{called(scene)} is a scene, not a macro. To go there, add a jump to it.")
        return "macro_use", {"macro": scene.id}, ()
    return *_with_resource(draft, words), ()


def jump_target(draft: Draft, words: Words) -> dict[str, Any]:
    """Where a jump goes: a node, or the beginning of a scene."""
    is_scene = token(words, "SCENE_REF")
    kind, thing = ("scene", draft.refer.scene(words)) if is_scene else draft.refer.thing(words, ("scene", "node"))
    if kind not in ("scene", "node"):
        raise NotDone(f"A jump goes to a node or a scene, and “{thing.name}” is a {kind}.")
    return {"type": kind, "id": thing.id}


def _text(draft: Draft, words: Words) -> tuple[str, dict[str, Any]]:
    kind = token(words, "TEXT_KIND").casefold() or "monolog"
    kind = _SPEECHES.get(kind, "content" if kind in ("narration", "paragraph") else kind)
    said, titled = child(words, "said"), child(words, "titled")
    if kind == "content":
        title = {} if titled is None else {"title": token(titled, "QUOTED", "NAME")}
        if said is None and title:
            return kind, title
        return kind, title | {"content": read_text(draft, said, "What does the content node say?")}
    who = child(words, "by") or (child(words, "ref") if words.data == "say" else None)
    text = read_text(draft, said, f"What is said in the {kind}?")
    character = -1 if who is None else draft.refer.character(child(who, "ref") or who).id
    return kind, {"character": character} | ({"text": text} if kind == "monolog" else {"lines": [text]})


def _choice(draft: Draft, words: Words) -> tuple[str, dict[str, Any], Sequence[Node | None]]:
    options = child(words, "options")
    items = [] if options is None else [token(one, "QUOTED") for one in children(options, "quoted")]
    plain = "" if options is None else token(options, "OPTIONS")
    if not items and not plain:
        raise WordsMissing("Which options does the choice have? Part them with a slash: Go in / Walk away.")
    parts = [_ARROW.split(one) for one in (_ITEMS.split(plain) if plain else items)]
    if plain and len(parts) == 1 and len(parts[0]) == 1:
        parts = [[one] for one in _COMMAS.split(plain)]
    for text in (part[0] for part in parts if not is_quoted(part[0])):
        ends_in_an_id = re.search(r"\d\W*$", text) and any(len(part) > 1 for part in parts)
        if _is_doubtful(draft, text) or ends_in_an_id or re.search(r"[\"“”]", text) or len(parts) < 2:
            raise NotDone(f"I do not see the options in “{plain}”. Put each in quotation marks, parted with slashes.")
    targets = [_target(draft, part[1]) if len(part) == 2 else None for part in parts]
    return "interaction", {"actions": [unquoted(part[0]) for part in parts]}, targets


def _target(draft: Draft, words: str) -> Node:
    number = re.fullmatch(r"(?:node\s+)?#?(\d{1,18})", words.strip(), re.IGNORECASE)
    if number is None or (node := draft.story.nodes.get(int(number[1]))) is None:
        raise NotDone(f"Behind an arrow stands the id of a node; there is no node “{words}”.")
    return node


def _label(draft: Draft, words: Words) -> tuple[str, dict[str, Any]]:
    kind = token(words, "LABEL_KIND").casefold()
    part = child(words, "titled") or child(words, "said")
    label = "" if part is None else token(part, "NAME") or read_text(draft, part, f"What is written on the {kind}?")
    if kind == "marker" and not label:
        raise NotDone("A marker needs a label, such as “add a marker: checkpoint”.")
    color = {"color": read_color(words)} if child(words, "colored") is not None else {}
    return kind, {"title" if kind == "frame" else "label": label} | color


def _with_resource(draft: Draft, words: Words) -> tuple[str, dict[str, Any]]:
    """What works on one variable or character: generator, user input, tags."""
    name = str(words.data)
    owner = next((one for one in words.children if isinstance(one, Tree) and one.data == "ref"), words)
    if name == "add_generator":
        return "generator", _generator(draft, words, owner)
    if name == "add_input":
        variable = draft.refer.variable(owner)
        kind = {"num": "number", "str": "text", "bool": "yes_no"}[variable.type]
        prompt = read_text(draft, child(words, "text") or without_refs(words), "What is the player asked?")
        return "user_input", {"prompt": prompt, "variable": variable.id, "input_type": kind}
    character = draft.refer.character(owner).id
    if name == "add_tag_edit":
        changes = children(words, "tag_change", "tag_removed")
        edits = [
            {"action": "remove", "key": key_of(one)} if one.data == "tag_removed"
            else {"action": "set", "key": key_of(one), "value": tag_value(one)} for one in changes
        ]  # fmt: skip
        return "tag_edit", {"character": character, "operations": edits}
    tests = children(words, "tag_test", "tag_has", "tag_not")
    if name == "add_tag_match":
        kind = {"tag_test": "equals", "tag_not": "not_equals", "tag_has": "has_key"}[str(tests[0].data)]
        value = {} if tests[0].data == "tag_has" else {"value": tag_value(tests[0])}
        return "tag_match", {"character": character, "match": {"type": kind, "key": key_of(tests[0]), **value}}
    if any(one.data == "tag_not" for one in tests):
        raise NotDone("A tag pass asks what a tag is, not what it is not; a tag match can ask that.")
    method = "any" if token(words, "ANY_OR_ALL").casefold().startswith("any") else "all"
    asked = [{"key": key_of(one)} | ({} if one.data == "tag_has" else {"value": tag_value(one)}) for one in tests]
    return "tag_pass", {"character": character, "method": method, "conditions": asked}


def _generator(draft: Draft, words: Words, owner: Words) -> dict[str, Any]:
    variable = draft.refer.variable(owner)
    if dice := token(words, "DICE"):
        return {"variable": variable.id, "generator_type": "dice", "dice": dice.replace(" ", "")}
    span = child(words, "between_numbers") or words
    low, high = (int(str(one)) for one in span.scan_values(lambda one: isinstance(one, Token) and one.type == "NUMBER"))
    return {"variable": variable.id, "generator_type": "random_int", "min": low, "max": high}


def key_of(words: Words) -> str:
    """The key of a tag."""
    return token(child(words, "key") or words, "KEY", "QUOTED")


def tag_value(words: Words) -> str:
    """The value of a tag."""
    return token(child(words, "tag_value") or words, "TAG_VALUE", "QUOTED")
