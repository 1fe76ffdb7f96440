"""What each command form does to the draft of a story."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from lark import Token, Tree

from agent.local.draft import Draft, Incomplete
from agent.local.nodes import add_node, jump_target, key_of, read_text, tag_value
from agent.local.parsing import Words, child, children, first_ref, token, unquoted, without_refs
from agent.local.resolver import called, listed
from agent.local.slots import free_output, output_of
from agent.local.steps import NotDone
from agent.local.values import STARTS, read_color, read_condition, read_number, read_update, read_value, shown, type_of
from agent.questions.variable_type import read_variable_type
from arrow_project import Character, Node, Operation, Scene, Variable, fold

# What the form calls a part of a node: the field of the tools, by type.
_PARTS = {
    "text": {"content": "content", "monolog": "text", "dialog": "lines", "marker": "label", "frame": "title",
             "entry": "label", "user_input": "prompt"},
    "content": {"content": "content", "monolog": "text"},
    "title": {"content": "title", "frame": "title"},
    "label": {"marker": "label", "entry": "label"},
    "question": {"user_input": "prompt"}, "prompt": {"user_input": "prompt"},
}  # fmt: skip
_NEW_NODE = re.compile("placed|say|update_here|add_(?!item|note)")
_JOINED = re.compile(r"\b(?:and|then)\b[^;\n]*$", re.IGNORECASE)


def may_share_a_place(text: str, commands: Sequence[Words]) -> bool:
    """Whether “and” or “then” joins two new nodes of the text of which one has a place, that may be meant for both."""
    for one, other in pairwise(words for words in commands if _NEW_NODE.match(words.data)):
        first, second = (child(words, "after", "before", "between") for words in (one, other))
        apart = first is not None if second is None else first is None and token(second, "REF").casefold() != "it"
        if apart and _JOINED.search(text[one.meta.end_pos : other.meta.start_pos]):
            return True
    return False


def carry_out(draft: Draft, words: Words) -> None:
    """Does one command to the draft.

    Raises:
        NotDone: It cannot be done; the draft is of no use any more.
    """
    place: Words | None = None
    if words.data == "placed":
        place, words = (one for one in words.children if isinstance(one, Tree))
    name = str(words.data)
    if (run := _COMMANDS.get(name)) is None:
        if name == "update_here" and child(place or words, "after", "before", "between") is None:
            raise NotDone("After which node? Or say “set the initial value of NAME to VALUE” for the beginning.")
        add_node(draft, words, place)
    elif place is not None:
        raise NotDone("A place is named only for a new node.")
    else:
        run(draft, words)


def _change_text(draft: Draft, words: Words) -> None:
    node, part = draft.refer.node(first_ref(words)), token(words, "PART").casefold()
    field = _PARTS[part].get(node.type)
    if field is None or (field == "lines" and len(node.outputs) != 1):
        which = " Name the line: “change line 1 of …”." if node.type == "dialog" else ""
        raise NotDone(f"{draft.story.describe(node.id)} has no {part} that is one text.{which}")
    text = read_text(draft, without_refs(words), "What does it say?")
    draft.apply("update_node", node_id=node.id, data={field: [text] if field == "lines" else text})
    draft.told.append(f"The {part} of {draft.story.describe(node.id)} is changed.")


def _items(draft: Draft, node: Node) -> tuple[str, list[str]]:
    field = {"dialog": "lines", "interaction": "actions"}.get(node.type)
    if field is None:
        raise NotDone(f"{draft.story.describe(node.id)} has neither lines nor choices.")
    return field, list(node.outputs)


def _change_item(draft: Draft, words: Words) -> None:
    node, place = draft.refer.node(first_ref(words)), read_number(child(words, "number") or words)
    field, items = _items(draft, node)
    if not 1 <= place <= len(items):
        raise NotDone(f"{draft.story.describe(node.id)} has no number {place}; it has {len(items)}, counted from 1.")
    items[place - 1] = read_text(draft, without_refs(words), "What does it say?")
    draft.apply("update_node", node_id=node.id, data={field: items})
    draft.told.append(f"Number {place} of {draft.story.describe(node.id)} is now “{items[place - 1]}”.")


def _add_item(draft: Draft, words: Words) -> None:
    node = draft.refer.node(first_ref(words))
    field, items = _items(draft, node)
    items.append(read_text(draft, without_refs(words), "What does it say?"))
    draft.apply("update_node", node_id=node.id, data={field: items})
    draft.told.append(f"{draft.story.describe(node.id)} ends with “{items[-1]}” now; nothing follows from it yet.")


def _change_data(draft: Draft, words: Words) -> None:
    """The condition, the update, the speaker or the target of a node."""
    node, part = draft.refer.node(first_ref(words)), str(words.data).removeprefix("change_")
    types = {"condition": "condition", "update": "variable_update", "speaker": "dialog monolog", "target": "jump"}
    if node.type not in types[part].split():
        raise NotDone(f"{draft.story.describe(node.id)} has no {part}.")
    last: Words = words.children[-1]  # pyright: ignore[reportAssignmentType]
    readers: dict[str, Callable[[], dict[str, Any]]] = {
        "condition": lambda: read_condition(last, draft.refer),
        "update": lambda: read_update(last, draft.refer),
        "speaker": lambda: {"character": draft.refer.character(last).id},
        "target": lambda: {"target": jump_target(draft, last)},
    }
    draft.apply("update_node", node_id=node.id, data=readers[part]())
    draft.told.append(f"The {part} is changed: {draft.story.describe(node.id)}.")


def _add_note(draft: Draft, words: Words) -> None:
    node, note = draft.refer.node(first_ref(words)), read_text(draft, without_refs(words), "What does the note say?")
    draft.apply("update_node", node_id=node.id, notes=f"{node.notes}\n{note}" if node.notes else note)
    draft.told.append(f"{draft.story.describe(node.id)} has the note “{note}”.")


def _connect(draft: Draft, words: Words) -> None:
    first, second = (draft.refer.node(one) for one in children(words, "ref"))
    first = draft.story.nodes[draft.exit_of(first.id)]
    slot = output_of(draft.story, first, child(words, "way"))
    slot = free_output(draft.story, first) if slot is None else slot
    draft.connect(first.id, slot, second.id)
    draft.told.append(f"{draft.story.describe_way(first.id, slot)} leads to {draft.story.describe(second.id)}.")


def _disconnect(draft: Draft, words: Words) -> None:
    one, other = (draft.refer.node(ref) for ref in children(words, "ref"))
    slot = output_of(draft.story, one, child(words, "way"))
    links = [link for link in draft.story.leaving(one.id) if link.to_id == other.id and slot in (None, link.from_slot)]
    if len(links) != 1:
        why = "leads there in several ways: say which, such as “on true”" if links else "does not lead there"
        raise NotDone(f"{draft.story.describe(one.id)} to {draft.story.describe(other.id)}: it {why}.")
    draft.cut(links[0].from_id, links[0].from_slot, links[0].to_id, links[0].to_slot)
    draft.told.append(f"{draft.story.describe(one.id)} does not lead to {draft.story.describe(other.id)} any more.")


def _set_entry(draft: Draft, words: Words) -> None:
    node, whole = draft.refer.node(first_ref(words)), token(words, "WHOLE").casefold()
    draft.apply("set_scene_entry" if whole == "scene" else "set_project_entry", node_id=node.id)
    what = f"The scene “{draft.story.scenes[node.scene_id].name}”" if whole == "scene" else "The project"
    draft.told.append(f"{what} now begins at {draft.story.describe(node.id)}.")


def _create(draft: Draft, words: Words) -> None:
    makers = {"new_scene": _new_scene, "new_variable": _new_variable, "new_character": _new_characters}
    for one in children(words, *makers):
        makers[str(one.data)](draft, one)


def _new_scene(draft: Draft, words: Words) -> None:
    name, kind = token(words, "QUOTED", "NAME"), token(words, "SCENE_KIND").casefold()
    key = draft.create("create_scene", is_macro=kind == "macro", **({"name": name} if name else {}))
    scene = draft.story.scenes[key]
    draft.last_created = scene.entry
    draft.told.append(f"Created the {kind} {called(scene)}; it begins at node {scene.entry}.")


def _new_variable(draft: Draft, words: Words) -> None:
    name, said = next(iter(_new_names(words)), ""), child(words, "value")
    if said is not None and any(fold(one.name) == fold(token(said, "REF")) for one in draft.story.variables.values()):
        raise NotDone(f"A variable begins with a value, and “{token(said, 'REF')}” is a variable. Say its value.")
    named = read_variable_type(token(words, "VARIABLE_TYPE"))
    kind = named["type"] if named else "" if said is None else type_of(read_value(said))
    known: dict[str, Any] = ({"name": name} if name else {}) | ({"type": kind} if kind else {})
    if not (name and kind):
        raise Incomplete(Operation("create_variable", known))
    value = STARTS[kind] if said is None else read_value(said, kind)
    key = draft.create("create_variable", **known, initial_value=value)
    draft.told.append(f"Created the variable {called(draft.story.variables[key])}, which starts at {shown(value)}.")


def _new_characters(draft: Draft, words: Words) -> None:
    names = _new_names(words)
    details: dict[str, Any] = {"color": read_color(words)} if token(words, "COLOR") else {}
    if tags := _tags(words):
        details["tags"] = tags
    if not names:
        raise Incomplete(Operation("create_character", {}))
    keys = [draft.create("create_character", name=name, **details) for name in names]
    draft.told.append(f"Created {listed([draft.story.characters[key] for key in keys])}.")


def _new_names(words: Words) -> list[str]:
    return [unquoted(one) for one in words.children if isinstance(one, Token) and one.type in ("QUOTED", "NAME")]


def _rename(draft: Draft, words: Words) -> None:
    kind, thing = draft.refer.thing(child(words, "possessor") or first_ref(words))
    name = token(without_refs(words), "QUOTED", "NAME")
    if kind == "node" and name != str(thing.id) and name.isdecimal() and int(name) in draft.story.nodes:
        raise NotDone(f"{name} is the id of another node.")
    draft.apply(f"update_{kind}", **{f"{kind}_id": thing.id, "name": name})
    draft.told.append(f"The {kind} {_label(draft, thing)} is now called “{name}”.")


def _start_value(draft: Draft, words: Words) -> None:
    variable = draft.refer.variable(first_ref(words))
    value = read_value(child(words, "value") or words, variable.type, variable.name)
    draft.apply("update_variable", variable_id=variable.id, initial_value=value)
    draft.told.append(f"{called(variable)} now starts at {shown(value)}.")


def _set_color(draft: Draft, words: Words) -> None:
    character = draft.refer.character(child(words, "possessor") or first_ref(words))
    draft.apply("update_character", character_id=character.id, color=read_color(words))
    draft.told.append(f"{called(character)} is now {read_color(words)}.")


def _give_tag(draft: Draft, words: Words) -> None:
    character, tags = draft.refer.character(first_ref(words)), _tags(words)
    draft.apply("update_character", character_id=character.id, tags={**character.tags, **tags})
    draft.told.append(f"{called(character)} has {', '.join(f'{key} = {value}' for key, value in tags.items())}.")


def _drop_tag(draft: Draft, words: Words) -> None:
    character, key = draft.refer.character(first_ref(words)), key_of(words)
    if key not in character.tags:
        raise NotDone(f"{called(character)} has no tag {key}; it has {', '.join(map(str, character.tags)) or 'none'}.")
    left = {name: value for name, value in character.tags.items() if name != key}
    draft.apply("update_character", character_id=character.id, tags=left)
    draft.told.append(f"{called(character)} has no tag {key} any more.")


def _delete(draft: Draft, words: Words) -> None:
    force = {"force": True} if token(words, "FORCE") else {}
    things = [draft.refer.thing(one) for one in children(words, "ref")]
    for kind, thing in things:
        label = _label(draft, thing)
        draft.apply(f"delete_{kind}", **{f"{kind}_id": thing.id}, **force)
        draft.told.append(f"Deleted the {kind} {label}.")


def _what(draft: Draft, words: Words) -> None:
    """The call as far as it is known, so that the user is asked for the rest."""
    if words.data == "connect_what":
        raise Incomplete(Operation("create_connection", {"from_node_id": draft.refer.node(first_ref(words)).id}))
    if words.data == "delete_what":
        raise Incomplete(Operation(f"delete_{token(words, 'RESOURCE').casefold()}", {}))
    kind, thing = draft.refer.thing(first_ref(words))
    raise Incomplete(Operation(f"update_{kind}", {f"{kind}_id": thing.id}))


def _label(draft: Draft, thing: Node | Scene | Variable | Character) -> str:
    return draft.story.describe(thing.id) if isinstance(thing, Node) else called(thing)


def _tags(words: Words) -> dict[str, str]:
    return {key_of(one): tag_value(one) for one in children(words, "tag")}


_COMMANDS: dict[str, Callable[[Draft, Words], None]] = {
    "change_text": _change_text, "change_item": _change_item, "add_item": _add_item, "change_condition": _change_data,
    "change_update": _change_data, "change_speaker": _change_data, "change_target": _change_data, "add_note": _add_note,
    "connect": _connect, "disconnect": _disconnect, "set_entry": _set_entry, "create": _create, "rename": _rename,
    "start_value": _start_value, "set_color": _set_color, "give_tag": _give_tag, "drop_tag": _drop_tag,
    "delete": _delete, "connect_what": _what, "rename_what": _what, "delete_what": _what,
}  # fmt: skip
