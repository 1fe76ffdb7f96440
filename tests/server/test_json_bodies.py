"""JSON over HTTP is read within the limits of the socket, and what is wrong with it is said in a few words."""

import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from arrow_project import has_more_values
from server import json_text
from server.json_text import JsonError, read_object
from server.socket.messages import MessageError, decode
from tests.agent.story import story_text
from tests.collecting import collecting
from tests.server.house import House, house

HALF_A_CHARACTER = "\\ud800"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for all: nothing that is refused leaves anything behind."""
    with house(tmp_path_factory.mktemp("bodies") / "data") as opened:
        yield opened


def message(answer: httpx.Response) -> str:
    """What the answer says is wrong with the request."""
    assert answer.status_code == 422, answer.text
    error = answer.json()["error"]
    assert error["code"] == "INVALID_REQUEST"
    assert len(error["message"]) < 2000
    return error["message"]


def sent(home: House, path: str, body: str | bytes) -> str:
    method = "PUT" if path.endswith("folder") else "POST"
    with home.http() as http:
        return message(http.request(method, path, content=body, headers={"Content-Type": "application/json"}))


PATHS = ["/projects/1/corpus", "/projects/1/turns", "/projects/1/folder"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("body", "named"),
    [
        ('{"documents": [' + "1," * 3_000 + "1]}", "3000 values"),
        ("[" * 200 + "]" * 200, "one JSON object"),
        ('{"arrow_content": ' + "[" * 200 + "]" * 200 + "}", "100 levels"),
        ('{"arrow_content": NaN}', "NaN"),
        ('{"arrow_content": 1e999}', "1e999"),
        ('{"documents": [' + "9" * 101 + "]}", "more than 100 characters"),
        ("{" + '""ab' * 7_000 + "}", "3000 values"),
        ("nonsense", "not JSON"),
        ("[]", "this is a list"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_would_take_too_long_is_not_read(
    home: House, monkeypatch: pytest.MonkeyPatch, path: str, body: str, named: str
) -> None:
    monkeypatch.setattr("server.json_text._MOST_VALUES", 3_000)  # as many as there may be are in test_frames.py
    assert named in sent(home, path, body)


def test_a_crowded_story_is_not_read(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("server.json_text", "arrow_project.long_texts"):
        monkeypatch.setattr(f"{module}.MOST_VALUES", 5_000)  # as many as there may be are in test_text_form.py
    for path, crowded in (
        ("/projects/1/turns", "[" + "1," * 5_001 + "1]"),
        ("/projects/1/check", '""ab' * 10_001),
        ("/projects/1/check", '"' + "a|" * 5_001 + '"'),
        ("/projects/1/check", '"' + "{a}" * 2_501 + '"'),
        ("/projects/1/check", '"' + r"\u007Ba}" * 2_501 + '"'),
    ):
        said = sent(home, path, json.dumps({"arrow_content": crowded}))
        assert "arrow_content must not have more than 5000 values" in said


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ('{"a":"' + r"\",[{" * 9 + '"}', False),
        (r'{"a":"\","b":"\"","c":[1]}', False),
        ("[" + '{"a":"b"},' * 5 + "1]", True),
        ('""ab' * 20, True),
    ],
)
@pytest.mark.parametrize("piece", range(1, 6))
def test_what_is_outside_of_texts_is_counted_piece_by_piece(
    monkeypatch: pytest.MonkeyPatch, text: str, is_refused: bool, piece: int
) -> None:
    monkeypatch.setattr("arrow_project.long_texts._PIECE", piece)
    assert has_more_values(text, 5) == is_refused


def test_quotation_marks_are_counted_in_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.long_texts._PIECE", 10_000)
    text = '"a,"bc' * 20_000
    tracemalloc.start()
    try:
        assert not has_more_values(text, 15_000)
        assert tracemalloc.get_traced_memory()[1] < 6 * len(text)
    finally:
        tracemalloc.stop()


def test_a_story_of_too_many_characters_is_not_read(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert json_text.MOST_CHARACTERS == 16 * 2**20
    monkeypatch.setattr(json_text, "MOST_CHARACTERS", 12_345)
    body = json.dumps({"arrow_content": story_text().ljust(12_346)})
    for path in ("/projects/1/turns", "/projects/1/check"):
        assert "must not have more than 12,345 characters; divide the story" in sent(home, path, body)
    with pytest.raises(MessageError, match="must not have more than 12,345 characters"):
        decode(json.dumps({"type": "file_sync"} | json.loads(body)))
    with home.http() as http:
        longest = {"arrow_content": story_text().ljust(12_345)}
        assert http.post("/projects/1/check", json=longest).status_code == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("field", ["message", "arrow_content", "path", "documents", HALF_A_CHARACTER])
def test_half_a_character_is_refused_wherever_it_is(home: House, path: str, field: str) -> None:
    body = f'{{"{field}": [{{"name": "{HALF_A_CHARACTER}"}}]}}'
    assert "half a character" in sent(home, path, body)


def test_half_a_character_in_a_turn(home: House) -> None:
    for fields in ({"message": "\ud800"}, {"history": [{"message": "\udfff"}]}, {"pending_id": "\ud800"}):
        body = json.dumps({"arrow_content": story_text(), "message": "Hello?"} | fields)
        assert "half a character" in sent(home, "/projects/1/turns", body)
    assert not home.model.requests


def test_half_a_character_on_a_socket() -> None:
    with pytest.raises(MessageError, match="half a character"):
        decode('{"type": "user_message", "message": "\\udc00"}')


def test_bytes_that_are_no_text(home: House) -> None:
    with home.http() as http:
        json_type = {"Content-Type": "application/json"}
        assert "UTF-8" in message(http.post("/projects/1/turns", content=b'{"message": "\xff"}', headers=json_type))


SECRET = "what the user wrote"


@pytest.mark.parametrize(
    ("path", "body", "problems"),
    [
        ("/projects/1/corpus", {"documents": [1] * 9_000}, 10),
        ("/projects/1/corpus", {"documents": [1] * 10_001}, 1),
        ("/projects/1/corpus", {"documents": [{"name": "x"}] * 9_000}, 10),
        ("/projects/1/corpus", {"documents": [{"name": SECRET}]}, 1),
        ("/projects/1/turns", {"arrow_content": "x", "selected_node_ids": [SECRET] * 25_000}, 1),
        ("/projects/1/turns", {"arrow_content": "x", "history": [SECRET] * 25_000}, 1),
        ("/projects/1/turns", {"arrow_content": "x"} | {f"key{n}": SECRET for n in range(20_000)}, 1),
        ("/projects/1/turns", {"arrow_content": "x", SECRET * 10_000: 1}, 1),
        ("/projects/1/turns", {"arrow_content": 1, "mode": SECRET, "confirm": SECRET, "function_params": SECRET}, 4),
    ],
    ids=lambda value: str(value)[:50],
)
def test_the_first_problems_are_said(home: House, path: str, body: Any, problems: int) -> None:
    said = sent(home, path, json.dumps(body))
    named = [part for part in said.split("; ") if ": " in part]
    assert len(named) == problems, said
    assert ("more" in said) == (len(named) == 10 or "key0" in said), said
    assert said.count(SECRET) <= 2, "a key, and only its beginning"


def test_a_body_that_is_whole_waits_for_its_turn_as_its_head_has(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    waited, wait = list[tuple[str, ...]](), home.services.rounds.wait

    async def counted(*whose: str) -> None:
        waited.append(whose)
        await wait(*whose)

    monkeypatch.setattr(home.services.rounds, "wait", counted)
    with home.http() as http:
        assert http.post("/projects/1/check", json={"arrow_content": story_text()}).status_code == 200
    assert waited == [("local",)] * 2


def test_the_problems_of_a_message_are_few_too() -> None:
    with pytest.raises(MessageError) as refused:
        decode(json.dumps({"type": "user_message", "selected_node_ids": [SECRET] * 25_000}))
    assert len(str(refused.value)) < 1000
    assert SECRET not in str(refused.value)


def test_the_documentation_still_shows_the_bodies(home: House) -> None:
    with home.http() as http:
        schemas = http.get("/openapi.json").json()["components"]["schemas"]
    assert {"TurnBody", "FolderLink"} <= schemas.keys()
    assert schemas["TurnBody"]["additionalProperties"] is False


def test_half_a_character_is_found_in_any_text_and_no_text_is_written_again_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.json_text.json.dumps", None)
    whole = json.loads('"\\ud83d\\ude00"')
    assert read_object('{"a": ["\\ud83d\\ude00", {"b": 1}]}', "It") == {"a": [whole, {"b": 1}]}
    for half in ('{"a": ["\\ud83d"]}', '{"\\ud83d": 1}', '{"a": {"b": "' + "x" * 200_000 + '\\ude00"}}'):
        with pytest.raises(JsonError, match="half a character"):
            read_object(half, "It")


def test_long_bodies_of_a_workspace_are_read_at_its_pace(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    held = list[float]()
    monkeypatch.setattr(home.services.paces["local"], "held", held.append)
    with home.http() as http:
        for characters in (100, 10_000):
            body = {"arrow_content": story_text(), "message": "x" * characters, "function": "undo"}
            short = {"message": "x"} if characters == 100 else body
            http.post("/projects/1/turns", json=short)
            assert bool(held) is (characters == 10_000)


def _kept(home: House, path: str) -> Iterator[int]:
    """Bytes, again and again: who has read the last body may still be about to end when it is answered."""
    for _ in range(100):
        yield tracemalloc.get_traced_memory()[0]
        sent(home, path, "{}")


@pytest.mark.parametrize("misspelt", ["/projects/1/check", "/projects/1/turns"])
def test_nothing_of_a_body_is_kept_that_one_of_our_own_rules_refuses(home: House, misspelt: str) -> None:
    """Not even until garbage is collected, which in a server is seldom."""
    body = json.dumps({"arrow_content": "x" * 500_000, "misspelt": 1}).encode()
    with collecting(is_on=False):
        sent(home, misspelt, "{}")
        tracemalloc.start()
        try:
            for _ in range(4):
                sent(home, misspelt, body)
            kept = next(filter(lambda kept: kept < 1_000_000, _kept(home, misspelt)), None)
        finally:
            tracemalloc.stop()
    assert kept is not None
