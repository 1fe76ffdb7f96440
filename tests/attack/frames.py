"""Frames that no client should send: of any kind, and of the kinds that cost a server much."""

import base64
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from server.dialects import DIALECTS
from tests.agent.story import story_text
from tests.attack.drawing import drawn

TYPES = ["file_sync", "design_doc_sync", "user_message", "function_result", "stop", "hello", "confirmation", "end"]
FIELDS = [
    "data", "project_id", "current_project_id", "arrow_content", "file_content", "file_name", "message", "history",
    "selected_node_ids", "current_scene_id", "request_id", "success", "result", "error", "function", "function_params",
    "confirm", "pending_id", "mode", "timestamp", "output", "type", "dialect", "capabilities", "max_frame_bytes",
    "decision", "client", "token", "affected_nodes", "referenced_by",
]  # fmt: skip
LIKELY = [
    1, "1", -1, 1.0, None, "", "apply", "plan", "yes", "never", "create_variable", "bible.txt", story_text(),
    base64.b64encode(b"Elena keeps the lighthouse.").decode(), {"name": "gold", "type": "num"}, ["batch", "progress"],
    *DIALECTS,
]  # fmt: skip
ODD_NAMES = [
    "a.pdf", "a.docx", "a.zip", "../a.md", "/etc/passwd", "C:\\a.md", "a\nb.md", "a\0.md", "\x1b[31mred.md", "x" * 600,
    "\ud800.md", "\u202egnp.md", "con.md", ".", "..", "", " ", "a/../../b.md", "a" + "/b" * 200 + ".md",
]  # fmt: skip


@dataclass(frozen=True)
class NotUtf8:
    """A text frame whose bytes are no text."""

    data: bytes


Frame = str | bytes | NotUtf8

numbers = st.integers() | st.floats() | st.sampled_from([10**400, -(2**63), 2**64, 1e308])
any_text = st.text(st.characters(), max_size=20)  # halves of characters too
scalars = st.none() | st.booleans() | numbers | any_text | st.sampled_from(LIKELY)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS) | any_text, inner, max_size=4),
    max_leaves=12,
)
messages = st.builds(
    lambda type_, fields: {**fields, "type": type_},
    st.sampled_from(TYPES) | values,
    st.dictionaries(st.sampled_from(FIELDS), values, max_size=8),
)
nested = st.builds(
    lambda opening, closing, depth, head: head + opening * depth + closing * depth + "}",
    *(st.just("["), st.just("]"), st.integers(1, 5000), st.sampled_from(['{"type": ', '{"type": "stop", "data": '])),
)
digits = st.builds(
    lambda count, name: f'{{"type": "user_message", "{name}": {"9" * count}}}',
    *(st.integers(1, 6000), st.sampled_from(FIELDS)),
)
whole = messages.map(json.dumps)
cut_off = st.builds(lambda text, at: text[: at % len(text)], whole, st.integers(0, 10_000))
frames = st.one_of(whole, whole, values.map(json.dumps), any_text, cut_off, nested, digits, st.binary(max_size=40))
not_utf8 = st.builds(lambda before, after: NotUtf8(before + b"\xff" + after), *[st.binary(max_size=20)] * 2)


def malformed(count: int, seed: int) -> Iterator[Frame]:
    """`count` frames, most of any kind, some that cost much and some that are not text; the same for the same seed."""
    chance = random.Random(seed)
    sources = chance.choices(["any", "costly", "broken"], [88, 10, 2], k=count)
    of_any_kind = iter(drawn(frames, sources.count("any"), seed))
    broken = iter(drawn(not_utf8, sources.count("broken"), seed))
    for source in sources:
        match source:
            case "costly":
                yield chance.choice(COSTLY)(chance)
            case "broken":
                yield next(broken)
            case _:
                yield next(of_any_kind)


def damaged_story(chance: random.Random) -> str:
    """A story in which something has a value that it cannot have."""
    document: Any = json.loads(story_text())
    holder, parts = document, [document]
    while parts and chance.random() < 0.9:
        holder = chance.choice(parts)
        parts = [part for part in _parts(holder) if isinstance(part, dict | list) and part]
    keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    holder[chance.choice(keys)] = chance.choice(_NO_VALUES)
    return json.dumps(document)


def _parts(holder: Any) -> list[Any]:
    return list(holder.values() if isinstance(holder, dict) else holder)


_NO_VALUES: list[Any] = [
    None, -1, 0, 2**70, -0.0, 1e300, True, "", "\0", "x" * 10_000, "\ud800", [], {}, [[]], {"": {}}, [1, 0, 1, 0],
    {"1": {"offset": [1e308, 0], "io": [[1, 0, 1, 0]]}}, "[" * 200, {"type": "entry", "data": None},
]  # fmt: skip


def _asked(chance: random.Random, **fields: Any) -> str:
    message = chance.choice(["Who keeps the lighthouse?", "Remove the pier.", "undo", "/create_variable", "yes", ""])
    return json.dumps({"type": "user_message", "message": message, "current_project_id": 1} | fields)


def _of_a_damaged_story(chance: random.Random) -> str:
    if chance.random() < 0.5:
        return json.dumps({"type": "file_sync", "project_id": 1, "arrow_content": damaged_story(chance)})
    return _asked(chance, arrow_content=damaged_story(chance))


def _many_values(chance: random.Random) -> str:
    wrong = chance.choice(["1", '""', "{}", "[]", "null", '"x"'])
    field = chance.choice(["selected_node_ids", "history", "function_params", "message"])
    listed = ",".join([wrong] * chance.choice([1000, 100_000, 290_000, 1_000_000]))
    return f'{{"type": "user_message", "current_project_id": 1, "{field}": [{listed}]}}'


def _many_names(chance: random.Random) -> str:
    fields = {f"{chance.random()}": number for number in range(chance.choice([1000, 50_000]))}
    return _asked(chance, function="create_variable", function_params=fields)


def _long_text(chance: random.Random) -> str:
    text = chance.choice(["Elena ", "a", "?", "\n", "é", "\u202e", "(", "/x ", "and then "]) * chance.choice(
        [10, 60_000]
    )
    return _asked(chance, message=text, arrow_content=story_text())


def _long_history(chance: random.Random) -> str:
    exchange = {"message": "Who is Elena?" * 10, "output": "She is." * chance.choice([1, 100])}
    return _asked(chance, history=[exchange] * chance.choice([10, 5000]), arrow_content=story_text())


def _odd_function(chance: random.Random) -> str:
    names = ["create_insert_node", "update_node", "update_node_map", "update_character", "undo", "search_documents"]
    fields = {
        name: chance.choice(_NO_VALUES) for name in ("node_id", "name", "type", "data", "preset", "tags", "query")
    }
    params = {name: fields[name] for name in chance.sample(sorted(fields), chance.randint(0, 4))}
    return _asked(chance, arrow_content=story_text(), function=chance.choice(names), function_params=params)


def _upload(chance: random.Random) -> str:
    name = chance.choice(
        ["a.pdf", "a.docx", "../a.md", "/etc/passwd", "a\nb.md", "\x1b[31m.md", "x" * 600, "\ud800.md", ""]
    )
    content = base64.b64encode(chance.randbytes(chance.choice([0, 10, 10_000]))).decode() + chance.choice(
        ["", "=", "!"]
    )
    return json.dumps({"type": "design_doc_sync", "project_id": 1, "file_name": name, "file_content": content})


COSTLY: list[Callable[[random.Random], str]] = [
    _of_a_damaged_story, _of_a_damaged_story, _of_a_damaged_story, _many_values, _many_names, _long_text, _long_history,
    _odd_function, _odd_function, _upload,
]  # fmt: skip
