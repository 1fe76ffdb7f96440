"""What operators are told: /metrics, and one line per turn. Neither has anybody's words in it."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from corpora import ProjectKey
from server import Access, Limits
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import story_text
from tests.server.client import Client
from tests.server.house import House, house

GOLD = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
TWICE = Use("create_variable", {"name": "gold", "type": "ghost"})
DELETE = Use("delete_node", {"node_id": 3})

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(home: House, **headers: str) -> Samples:
    with home.http(**headers) as http:
        answer = http.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found.get((f"fletcher_{name}", frozenset(labels.items())), 0.0)


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator["Lines"]:
    with caplog.at_level(logging.INFO):
        yield Lines(caplog)


class Lines:
    """The lines that were logged about turns."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog

    def all(self) -> list[dict[str, Any]]:
        turns = [record for record in self._caplog.records if record.name == "fletcher.turn"]
        assert not [record for record in turns if record.levelno != logging.INFO]
        return [json.loads(record.getMessage()) for record in turns]

    def one(self) -> dict[str, Any]:
        (line,) = self.all()
        return line


def test_a_server_that_has_done_nothing(home: House) -> None:
    found = samples(home)
    assert value(found, "connections") == 0
    assert value(found, "turns_under_way") == 0
    assert value(found, "documents", status="indexed") == 0
    assert found[("process_open_fds", frozenset())] > 0


def test_a_turn_is_counted(home: House, client: Client, lines: Lines) -> None:
    home.put("bible.md", "Elena keeps the lighthouse.")
    home.model.add([TWICE], [GOLD], ["Done [1]."])
    client.ask("Add gold, as the bible says.")
    client.answer(client.call())
    client.until("end")
    found = samples(home)
    assert value(found, "connections") == 1
    assert value(found, "turns_under_way") == 0
    assert value(found, "turns_total", outcome="done") == 1
    assert value(found, "corrections_total", function="create_variable") == 1
    assert value(found, "calls_total", function="create_variable", result="ok") == 1
    assert value(found, "calls_total", function="create_variable", result="failed") == 0
    assert value(found, "model_requests_total") == 3
    assert value(found, "tokens_total", kind="input") > 0
    assert value(found, "tokens_total", kind="output") > 0
    for stage in ("retrieval", "model", "editor", "total"):
        assert value(found, "turn_seconds_count", stage=stage) == 1
    assert value(found, "turn_seconds_sum", stage="total") > 0
    line = lines.one()
    assert {name: line[name] for name in ("event", "workspace", "project_id", "client", "outcome", "code")} == {
        "event": "turn",
        "workspace": "local",
        "project_id": "1",
        "client": "spec",
        "outcome": "done",
        "code": None,
    }
    assert (line["calls"], line["calls_failed"], line["corrections"], line["citations"]) == (1, 0, 1, 1)
    assert line["requests"] == 3
    assert line["input_tokens"] == value(found, "tokens_total", kind="input")
    assert line["output_tokens"] == value(found, "tokens_total", kind="output")
    assert line["seconds"] > 0
    assert {"time", "retrieval_s", "model_s", "editor_s", "cost_usd"} <= set(line)


def test_what_the_editor_refuses_is_a_failed_call(home: House, client: Client) -> None:
    home.model.add([GOLD], ["It did not work."])
    client.ask("Add gold.")
    client.refuse(client.call(), "No.")
    client.until("end")
    found = samples(home)
    assert value(found, "calls_total", function="create_variable", result="failed") == 1
    assert value(found, "corrections_total", function="create_variable") == 0


@pytest.mark.parametrize(("reply", "answer"), [("yes", "yes"), ("no", "no"), ("What is it?", "other")])
def test_questions_and_answers(home: House, client: Client, lines: Lines, reply: str, answer: str) -> None:
    home.model.add([DELETE], ["The pier."])
    client.turn("Remove the pier.")
    client.ask(reply)
    if answer == "yes":
        client.answer(client.call())
    client.until("end")
    found = samples(home)
    assert value(found, "turns_total", outcome="question") == 1
    assert value(found, "questions_total", kind="confirmation") == 1
    assert value(found, "answers_total", answer=answer) == 1
    assert value(found, "turns_total", outcome="done") == 1
    asked, answered = lines.all()
    assert (asked["question"], asked["answer"]) == ("confirmation", None)
    assert (answered["question"], answered["answer"]) == (None, answer)


def test_an_answer_to_nothing_is_none(home: House, lines: Lines) -> None:
    with home.http() as http:
        body = {"message": "yes", "arrow_content": story_text(), "pending_id": "abc"}
        assert http.post("/projects/1/turns", json=body).status_code == 404
    assert value(samples(home), "answers_total", answer="yes") == 0
    assert (lines.one()["outcome"], lines.one()["code"]) == ("error", "NOT_PENDING")


def test_a_stopped_turn(home: House, client: Client, lines: Lines) -> None:
    home.model.add([Hang()])
    client.ask("Add gold.")
    assert home.model.hanging.wait(PATIENCE_S)
    assert value(samples(home), "turns_under_way") == 1
    client.send("stop")
    client.until("end")
    found = samples(home)
    assert value(found, "turns_total", outcome="stopped") == 1
    assert value(found, "turns_under_way") == 0
    assert value(found, "turn_seconds_count", stage="total") == 1
    assert lines.one()["outcome"] == "stopped"


def test_a_turn_that_cannot_begin(home: House, lines: Lines) -> None:
    with home.client() as client:
        client.turn("Hello?", current_project_id=7)
        client.turn("Hello?", current_project_id="../" + "secret sentence " * 60)
    assert value(samples(home), "turns_total", outcome="error") == 2
    unknown, impossible = lines.all()
    assert (unknown["project_id"], unknown["code"]) == ("7", "PROJECT_NOT_FOUND")
    assert (impossible["project_id"], impossible["code"]) == (None, "INVALID_NAME")
    assert "secret" not in str(impossible)


def test_a_turn_over_http(home: House, lines: Lines) -> None:
    body = {"arrow_content": story_text(), "function": "delete_everything", "function_params": {"why": "secret"}}
    with home.http() as http:
        http.post("/projects/1/turns", json=body)
    found = samples(home)
    assert value(found, "corrections_total", function="unknown") == 1, "a made-up name is nobody's label"
    assert lines.one()["client"] == "http"
    assert "delete_everything" not in str(lines.all())


def test_too_many_turns_are_refusals_and_no_turns(tmp_path: Path, lines: Lines) -> None:
    with house(tmp_path, limits=Limits(call_timeout_s=PATIENCE_S, turns_per_minute=1, connections=1)) as home:
        home.model.otherwise = ["Hello."]
        with home.client() as client, home.client():
            client.sync()
            client.turn("Hello?")
            client.turn("Hello?")
        found = samples(home)
    assert value(found, "refusals_total", limit="turns_per_minute") == 1
    assert value(found, "refusals_total", limit="connections") == 1
    assert value(found, "turns_total", outcome="done") == 1
    assert lines.one()["outcome"] == "done"


def test_documents(home: House) -> None:
    with home.http() as http:
        texts = [{"name": "bible.md", "text": "Elena."}, {"name": "blank.txt", "text": " "}]
        http.post("/projects/1/corpus?wait=true", json={"documents": texts})
        http.post("/projects/2/corpus?wait=true", json={"documents": texts[:1]})
        http.post("/projects/2/corpus?wait=true", json={"documents": texts[:1]})
    found = samples(home)
    assert value(found, "documents", status="indexed") == 2
    assert value(found, "documents", status="searchable") == 0
    taken_in = {status: value(found, "documents_taken_in_total", status=status) for status in STATUSES}
    assert taken_in == {"indexed": 2, "failed": 1, "unchanged": 1}


STATUSES = ("indexed", "failed", "unchanged")

SECRETS = ("ada's t0ken", "ada-workspace", "secret-bible", "s3cret", "Bo's t0ken", "bo-workspace", "story-of-")


def test_no_words_of_anybody_get_out(tmp_path: Path, caplog: pytest.LogCaptureFixture, lines: Lines) -> None:
    """Two workspaces with a project of the same id: nothing of either in labels, and in a line only whose it is."""
    access = Access(tokens={"ada's t0ken": "ada-workspace", "Bo's t0ken": "bo-workspace"})
    with house(tmp_path, access=access) as home:
        for workspace in ("ada-workspace", "bo-workspace"):
            home.put("secret-bible.md", f"The s3cret of {workspace}.", ProjectKey(workspace, "story-of-7"))
        for token in ("ada%27s%20t0ken", "Bo%27s%20t0ken"):
            home.model.add(["The s3cret [1].", GOLD], [DELETE])
            with home.client(f"/ws/chat?token={token}") as client:
                client.sync(story_text("A s3cret story"), project_id="story-of-7")
                client.ask("What is the s3cret?", current_project_id="story-of-7")
                client.answer(client.call(), arrow_content=None)
                client.until("end")
        with home.http(Authorization="Bearer ada's t0ken") as http:
            text = http.get("/metrics").text
            http.get("/projects/story-of-7/search?q=s3cret")
        assert 'fletcher_turns_total{outcome="question"} 2.0' in text
        assert not [secret for secret in SECRETS if secret in text]
    assert [line["workspace"] for line in lines.all()] == ["ada-workspace", "bo-workspace"]
    for line in lines.all():
        line = {name: said for name, said in line.items() if name not in ("workspace", "project_id")}
        assert not [secret for secret in SECRETS if secret in str(line)]
    ours = ("fletcher.turn", "httpx")  # the other is this test's own client
    others = [record.getMessage() for record in caplog.records if record.name not in ours]
    assert not [message for message in others if "t0ken" in message or "s3cret" in message]


def test_each_server_counts_for_itself(tmp_path: Path) -> None:
    with house(tmp_path / "one") as one, house(tmp_path / "two") as two:
        one.model.add(["Hello."])
        with one.client() as client:
            client.sync()
            client.turn("Hello?")
        assert value(samples(one), "turns_total", outcome="done") == 1
        assert value(samples(two), "turns_total", outcome="done") == 0


def test_a_catalog_that_cannot_be_read_is_an_error_and_no_end(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError("the secret of line 7")

    monkeypatch.setattr(home.catalog, "document_counts", fail)
    with home.http() as http:
        answer: httpx.Response = http.get("/metrics")
        assert answer.status_code == 500
        assert "secret" not in answer.text
