"""HTTP requests that no client should send, as bytes."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.agent.story import story_text
from tests.attack.drawing import drawn
from tests.attack.frames import ODD_NAMES, damaged_story, values
from tests.attack.server import ATTACKER

_MIB = 2**20
_BOUNDARY = "edge-of-it"
_PARTS = ("documents", "search?q=", "turns", "folder", "corpus", "documents/a.md/pages/1.png", "documents/a.md")
_TOKENS: list[bytes | None] = [
    ATTACKER.encode(),
    ATTACKER.encode(),
    ATTACKER.encode(),
    None,
    b"",
    b"wrong",
    b"\xff\xfe",
]


@dataclass(frozen=True)
class Body:
    """One request.

    Attributes:
        kind: What is wrong with it.
        data: What is sent.
        is_whole: Whether that is all of what it announces; if not, the connection is held open.
    """

    kind: str
    data: bytes
    is_whole: bool = True


def hostile(count: int, seed: int) -> Iterator[Body]:
    """`count` requests; the same for the same seed."""
    chance = random.Random(seed)
    some = drawn(values, max(10, count // 10), seed)
    for _ in range(count):
        yield chance.choice(_KINDS)(chance, some)


def _request(
    chance: random.Random,
    method: str,
    path: str,
    body: bytes,
    kind: str = "application/json",
    announced: int | None = None,
) -> bytes:
    """A request with a token, mostly a good one."""
    lines = [
        f"{method} {path} HTTP/1.1".encode(),
        b"Host: 127.0.0.1",
        b"Connection: close",
        f"Content-Type: {kind}".encode(),
        f"Content-Length: {len(body) if announced is None else announced}".encode(),
    ]
    if (token := chance.choice(_TOKENS)) is not None:
        lines.append(b"Authorization: Bearer " + token)
    return b"\r\n".join([*lines, b"", body])


def _posted(chance: random.Random, text: str | bytes) -> bytes:
    """A body to a route that reads one."""
    body = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    method, path = chance.choice([("POST", "turns"), ("POST", "corpus"), ("PUT", "folder")])
    return _request(chance, method, f"/projects/1/{path}", body)


# --- JSON ----------------------------------------------------------------------------------------------------------


def _any_json(chance: random.Random, some: list[Any]) -> Body:
    fields = ["documents", "replace", "arrow_content", "message", "history", "selected_node_ids", "path", "function"]
    value = {name: chance.choice(some) for name in chance.sample(fields, chance.randint(0, 3))}
    escaped = chance.random() < 0.5
    return Body(
        "any JSON", _posted(chance, json.dumps(chance.choice([value, chance.choice(some)]), ensure_ascii=escaped))
    )


def _documents(chance: random.Random, some: list[Any]) -> Body:
    """Documents, nearly as they should be."""
    documents = [
        {"name": chance.choice(ODD_NAMES)}
        | chance.choice(
            [{"text": "\ud83d"}, {"text": "a\0b"}, {"content_base64": "!"}, {"text": chance.choice(some)}, {}]
        )
        for _ in range(chance.randint(1, 5))
    ]
    return Body(
        "odd documents", _request(chance, "POST", "/projects/1/corpus", json.dumps({"documents": documents}).encode())
    )


def _turn(chance: random.Random, some: list[Any]) -> Body:
    field = chance.choice(
        ["message", "history", "selected_node_ids", "current_scene_id", "mode", "function", "pending_id"]
    )
    body = {"arrow_content": chance.choice([story_text(), damaged_story(chance), "", "{}"]), field: chance.choice(some)}
    return Body("odd turn", _request(chance, "POST", "/projects/1/turns", json.dumps(body).encode()))


def _function(chance: random.Random, some: list[Any]) -> Body:
    names = ["undo", "create_variable", "update_node", "update_character", "get_scene", "search_documents", "nothing"]
    params = {chance.choice(["name", "node_id", "data", "query", "scene_id"]): chance.choice(some)}
    body = {"arrow_content": story_text(), "function": chance.choice(names), "function_params": params}
    return Body("odd function", _request(chance, "POST", "/projects/1/turns", json.dumps(body).encode()))


def _many_values(chance: random.Random, _some: list[Any]) -> Body:
    """Up to 8 MiB, in which every value is wrong."""
    wrong = chance.choice(["1", '"x"', "{}", "[]", "null"])
    count = chance.choice([1000, 100_000, 8 * _MIB // (len(wrong) + 1)])
    listed = ",".join([wrong] * count)
    head = chance.choice(
        ['{"documents": [', '{"arrow_content": "", "selected_node_ids": [', '{"arrow_content": "", "history": [']
    )
    return Body("many values", _posted(chance, f"{head}{listed}]}}"))


def _deep(chance: random.Random, _some: list[Any]) -> Body:
    depth = chance.choice([50, 1000, 200_000])
    opening, closing = chance.choice([("[", "]"), ('{"a":', "}")])
    return Body("deep nesting", _posted(chance, f'{{"documents": {opening * depth}1{closing * depth}}}'))


def _half_characters(chance: random.Random, _some: list[Any]) -> Body:
    field = chance.choice(["message", "arrow_content", "path", "pending_id", "function"])
    text = chance.choice([r"\ud800", r"a\udfff", r"\udc00\ud800", r"\u0000"])
    return Body(
        "half a character", _posted(chance, f'{{"arrow_content": {json.dumps(story_text())}, "{field}": "{text}"}}')
    )


def _not_utf8(chance: random.Random, _some: list[Any]) -> Body:
    garbage = chance.choice([b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", chance.randbytes(200)])
    return Body("not UTF-8", _posted(chance, b'{"documents": [{"name": "a' + garbage + b'", "text": "a"}]}'))


def _cut_off(chance: random.Random, some: list[Any]) -> Body:
    whole = json.dumps({"documents": [{"name": "a.md", "text": "a"}], "arrow_content": chance.choice(some)})
    return Body("cut off", _posted(chance, whole[: chance.randrange(len(whole))]))


# --- forms ---------------------------------------------------------------------------------------------------------


def _form(chance: random.Random, _some: list[Any]) -> Body:
    names = [json.dumps(chance.choice(ODD_NAMES))[1:-1] for _ in range(chance.choice([0, 1, 5, 3000]))]
    field = chance.choice(["files", "files", "file", "replace", "\xff"])
    parts = [
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\nElena.\r\n'
        for name in names
    ]
    end = chance.choice([f"--{_BOUNDARY}--\r\n", "", f"--{_BOUNDARY}", "--other--\r\n"])
    return _as_form(chance, "odd form", "".join([*parts, end]).encode("utf-8", "replace"))


def _form_garbage(chance: random.Random, _some: list[Any]) -> Body:
    head = f"--{_BOUNDARY}\r\n".encode()
    header = b"X: " + b"y" * chance.choice([10, 100_000]) + b"\r\n"
    return _as_form(chance, "no form", head + chance.choice([header, chance.randbytes(2000), b"\r\n" * 1000, b""]))


def _as_form(chance: random.Random, kind: str, body: bytes) -> Body:
    boundary = chance.choice([_BOUNDARY, _BOUNDARY, _BOUNDARY, "", "x" * 300])
    content_type = f"multipart/form-data; boundary={boundary}"
    return Body(kind, _request(chance, "POST", "/projects/1/corpus", body, content_type))


# --- what is not the body ------------------------------------------------------------------------------------------


def _odd_path(chance: random.Random, _some: list[Any]) -> Body:
    raw = chance.choice([*ODD_NAMES, "1"])
    project = quote(raw.encode("utf-8", "surrogatepass")) or "%20"
    method = chance.choice(["GET", "DELETE", "POST", "PUT", "PATCH", "BREW"])
    return Body("odd path", _request(chance, method, f"/projects/{project}/{chance.choice(_PARTS)}", b""))


def _odd_query(chance: random.Random, _some: list[Any]) -> Body:
    query = chance.choice(
        ["", "%00", "%ED%A0%80", "a" * 5000, "%28" * 500, "Elena%20" * 500, "%F0%9F%94%A5", "%25s%7B0%7D"]
    )
    more = chance.choice(["", "&k=0", "&k=-1", "&k=1e9", "&k=" + "9" * 400, "&document=%00", "&document=..%2Fa"])
    return Body("odd query", _request(chance, "GET", f"/projects/1/search?q={query}{more}", b""))


def _odd_page(chance: random.Random, _some: list[Any]) -> Body:
    page = chance.choice(["0", "-1", "9" * 30, "1.5", "%00", "1"])
    more = chance.choice(["", "?passage=", "?passage=%ED%A0%80", "?passage=" + "a" * 3000])
    return Body("odd page", _request(chance, "GET", f"/projects/1/documents/a.md/pages/{page}.png{more}", b""))


def _odd_folder(chance: random.Random, _some: list[Any]) -> Body:
    paths = [
        "/",
        "/etc",
        "/proc/self",
        "/dev",
        "relative",
        "",
        "~",
        "\0",
        "a" * 5000,
        "\\\\host\\share",
        "/tmp/../etc",
        "\ud800",
    ]
    body = json.dumps({"path": chance.choice(paths)}).encode()
    return Body("odd folder", _request(chance, "PUT", "/projects/1/folder", body))


def _odd_head(chance: random.Random, _some: list[Any]) -> Body:
    turn = b"POST /projects/1/turns HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    head = chance.choice(
        [
            turn + b"Content-Length: -5\r\n\r\n",
            turn + b"Content-Length: 5\r\nContent-Length: 9\r\n\r\nabcde",
            turn + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nffffffffffffffff\r\n",
            b"GET /projects/1/documents HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chance.randbytes(300),
            b"GET /ws/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        ]
    )
    return Body("odd head", head, is_whole=b"close" in head)


def _half_sent(chance: random.Random, _some: list[Any]) -> Body:
    """A body of which the rest never comes."""
    body = json.dumps({"arrow_content": story_text()}).encode()[: chance.choice([0, 10, 500])]
    path = chance.choice(["turns", "corpus"])
    return Body("half sent", _request(chance, "POST", f"/projects/1/{path}", body, announced=50 * _MIB), is_whole=False)


def _half_head(chance: random.Random, _some: list[Any]) -> Body:
    head = b"POST /projects/1/turns HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le"
    return Body("half a head", head[: chance.randrange(1, len(head))], is_whole=False)


_KINDS: list[Callable[[random.Random, list[Any]], Body]] = [
    _any_json, _any_json, _any_json, _documents, _documents, _turn, _turn, _turn, _function, _function, _many_values,
    _deep, _half_characters, _half_characters, _not_utf8, _cut_off, _form, _form_garbage, _odd_path, _odd_path,
    _odd_query, _odd_page, _odd_folder, _odd_head, _half_sent, _half_head,
]  # fmt: skip
