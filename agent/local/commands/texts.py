"""Commands that change what stands in a node."""

from typing import Any

from agent.local.desk import Desk
from agent.local.expressions import read_condition, read_update
from agent.local.nodetypes import NODE_TYPE
from agent.local.phrase import QUOTED, Phrase
from agent.local.presets import read_items
from agent.local.references import References
from agent.local.rule import CHANGE, THE, TO, Words, rule
from agent.local.steps import NotDone, Steps
from agent.local.story import Node

_TEXT_OF = {
    "content": "content",
    "monolog": "text",
    "marker": "label",
    "entry": "label",
    "frame": "title",
    "user_input": "prompt",
}
_LISTS = {"dialog": "lines", "interaction": "actions"}
_FIELDS = (
    "text|words|content|title|label|prompt|question|lines?|choices|options|actions|answers|speaker|character"
    "|condition|comparison|update|target|macro|name"
)
_ITEM = r"(?:line|choice|option|action|answer)"


def _change(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    node, text = references.node(words["node"]), words["text"]
    field = words["field"].masked.casefold() if "field" in words else "text"
    change = _change_of(node, field, text, references)
    told = f"Changed the {field} of {references.story.describe(node.id)} to “{text.text}”."
    yield from desk.call("update_node", {"node_id": node.id, **change})
    return told


def _change_of(node: Node, field: str, text: Phrase, references: References) -> dict[str, Any]:
    if field == "name":
        return {"name": text.text}
    data = _data_of(node, field, text, references)
    if data is None:
        raise NotDone(f"A {node.type} has no {field}; node {node.id} is {references.story.describe(node.id)}.")
    return {"data": data}


def _data_of(node: Node, field: str, text: Phrase, references: References) -> dict[str, Any] | None:
    if field in ("speaker", "character"):
        return {"character": references.character(text).id} if "character" in node.data else None
    if node.type == "condition":
        return dict(read_condition(text, references)) if field in ("condition", "comparison", "text") else None
    if node.type == "variable_update":
        return read_update(text, references) if field in ("update", "text") else None
    if field == "title" and node.type == "content":
        return {"title": text.text}
    if node.type == "jump" and field == "target":
        return {"target": {"type": "node", "id": references.node(text).id}}
    if node.type == "macro_use" and field == "macro":
        return {"macro": references.scene(text).id}
    return _text_data(node, field, text)


def _text_data(node: Node, field: str, text: Phrase) -> dict[str, Any] | None:
    if node.type in _LISTS:
        single = node.type == "dialog" and field in ("text", "words", "line")
        if single and len(node.outputs) > 1:
            raise NotDone(f"Node {node.id} has {len(node.outputs)} lines. Say “change line 1 of {node.id} to …”.")
        return {_LISTS[node.type]: [text.text] if single else read_items(text)}
    known = _TEXT_OF.get(node.type)
    fits = known is not None and (
        field in ("text", "words", "content") or field == known or (field == "question" and known == "prompt")
    )
    return {known: text.text} if known and fits else None


def _change_item(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    node, items = _list_of(references, words["node"])
    index = int(words["number"].masked) - 1
    if not 0 <= index < len(items):
        raise NotDone(f"Node {node.id} has {len(items)} of them; there is no number {index + 1}.")
    items[index] = words["text"].text
    yield from desk.call("update_node", {"node_id": node.id, "data": {_LISTS[node.type]: items}})
    return f"Changed number {index + 1} of {references.story.describe(node.id)} to “{items[index]}”."


def _add_item(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    node, items = _list_of(references, words["node"])
    items.append(words["text"].text)
    yield from desk.call("update_node", {"node_id": node.id, "data": {_LISTS[node.type]: items}})
    return f"Added “{items[-1]}” to {references.story.describe(node.id)}, as slot {len(items) - 1}."


def _replace_words(desk: Desk, words: Words) -> Steps[str]:
    """`replace "twelve" with "seventeen" in node 17`."""
    references = desk.references()
    node, old, new = references.node(words["node"]), words["old"].text, words["new"].text
    fields = {name: value for name, value in _texts_by_field(node).items() if old in str(value)}
    if not fields or sum(_count(value, old) for value in fields.values()) != 1:
        times = "does not say" if not fields else "says more than once"
        raise NotDone(f"Node {node.id} {times} “{old}”; it is {references.story.describe(node.id)}.")
    data = {
        name: [one.replace(old, new) for one in value] if isinstance(value, list) else value.replace(old, new)
        for name, value in fields.items()
    }
    yield from desk.call("update_node", {"node_id": node.id, "data": data})
    return f"Replaced “{old}” by “{new}” in node {node.id}."


def _texts_by_field(node: Node) -> dict[str, list[str] | str]:
    """The node's texts by the field of the protocol that holds them."""
    found: dict[str, list[str] | str] = {}
    if node.type in _LISTS:
        found[_LISTS[node.type]] = list(node.outputs)
    elif node.type in _TEXT_OF:
        native = {"text": "monolog", "label": "plaque" if node.type == "entry" else "label", "title": "label"}
        known = _TEXT_OF[node.type]
        found[known] = str(node.data.get(native.get(known, known)) or "")
    if node.type == "content":
        found["title"] = str(node.data.get("title") or "")
    return found


def _count(value: list[str] | str, words: str) -> int:
    return sum(one.count(words) for one in ([value] if isinstance(value, str) else value))


def _list_of(references: References, words: Phrase) -> tuple[Node, list[str]]:
    node = references.node(words)
    if node.type not in _LISTS:
        raise NotDone(f"{references.story.describe(node.id)} has no choices or lines.")
    return node, list(node.outputs)


RULES = (
    rule(
        rf"(?:replace|change) (?:the words? )?(?P<old>{QUOTED}) (?:with|by|to|into) (?P<new>{QUOTED})"
        r" in (?P<node>.+)",
        _replace_words,
    ),
    rule(
        r"in (?P<node>(?:the )?node [^,]+?|#?\d+),? (?:replace|change) (?P<old>.+?) (?:with|by|to|into) (?P<new>.+)",
        _replace_words,
    ),
    rule(r"(?P<node>(?:the )?node #?\d+|#?\d+) should (?:say|read|be):? (?P<text>.+)", _change, loose=True),
    rule(r"(?:correct|fix) (?P<node>(?:the )?node #?\d+|#?\d+)(?: to)?:\s*(?P<text>.+)", _change),
    rule(rf"{CHANGE} {THE}{_ITEM} (?P<number>\d{{1,4}}) of (?P<node>.+?){TO}(?P<text>.+)", _change_item),
    rule(
        rf"{CHANGE} {THE}(?:(?:{NODE_TYPE}) )?(?P<field>{_FIELDS}) (?:of|in|on) (?P<node>.+?){TO}(?P<text>.+)", _change
    ),
    rule(rf"{CHANGE} (?P<node>.+?)['’]s (?P<field>{_FIELDS}){TO}(?P<text>.+)", _change),
    rule(rf"{CHANGE} (?P<node>(?:the )?node .+?|#?\d+){TO}(?P<text>.+)", _change),
    rule(
        rf"add {THE}(?:another )?{_ITEM} (?P<text>{QUOTED}|[^:]+?) to (?P<node>(?:node )?#?\d+|(?:node |the )[^:]+)",
        _add_item,
    ),
)
"""The commands on the contents of nodes."""
