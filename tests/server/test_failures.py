"""When the model or the server itself fails: one sentence, no stack trace, and `end`; the next turn works."""

import json

import pytest
from pydantic_ai.exceptions import (
    ConcurrencyLimitExceeded,
    ContentFilterError,
    IncompleteToolCall,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)

from corpora import CatalogError
from tests.agent.scripted_model import Reply, Use
from tests.agent.story import story_text
from tests.server.client import Client, texts, types
from tests.server.dispatcher import Dispatcher
from tests.server.house import House
from tests.server.test_turns_of_each_dialect import follow

GOLD = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
SECRET = "sk-secret at line 7"


def categorized(
    kind: type[ModelAuthenticationError | ModelNotFoundError | ModelRateLimitError], status: int
) -> Exception:
    """The error of that category as an HTTP answer brings it."""
    return ModelHTTPError.for_category(kind, status_code=status, model_name="scripted", body={"error": SECRET})


FAILURES: list[tuple[Exception, str]] = [
    (ModelAuthenticationError("scripted", SECRET), "MODEL_AUTHENTICATION"),
    (categorized(ModelAuthenticationError, 401), "MODEL_AUTHENTICATION"),
    (ModelNotFoundError("scripted", SECRET), "MODEL_NOT_FOUND"),
    (categorized(ModelNotFoundError, 404), "MODEL_NOT_FOUND"),
    (ModelContextWindowExceededError("scripted", SECRET), "CONTEXT_TOO_LARGE"),
    (ModelQuotaExceededError("scripted", SECRET), "MODEL_QUOTA"),
    (ModelRateLimitError("scripted", SECRET), "MODEL_RATE_LIMIT"),
    (categorized(ModelRateLimitError, 429), "MODEL_RATE_LIMIT"),
    (ModelUnavailableError("scripted", SECRET), "MODEL_OVERLOADED"),
    (ModelOverloadedError("scripted", SECRET), "MODEL_OVERLOADED"),
    (ModelConnectionError("scripted", SECRET), "MODEL_UNREACHABLE"),
    (ModelTimeoutError("scripted", SECRET), "MODEL_UNREACHABLE"),
    (ModelRequestTimeout("scripted", 1.0), "MODEL_ERROR"),
    (ModelServerError("scripted", SECRET), "MODEL_OVERLOADED"),
    (ModelRequestRejectedError("scripted", SECRET), "MODEL_REJECTED"),
    (ModelHTTPError(500, "scripted", {"error": SECRET}), "MODEL_ERROR"),
    (ModelAPIError("scripted", SECRET), "MODEL_ERROR"),
    (ConcurrencyLimitExceeded(SECRET), "MODEL_ERROR"),
    (UsageLimitExceeded(SECRET), "STEP_LIMIT"),
    (ContentFilterError(SECRET), "CONTENT_FILTER"),
    (IncompleteToolCall(SECRET), "ANSWER_TOO_LONG"),
    (UnexpectedModelBehavior(SECRET), "MODEL_MISBEHAVED"),
    (ZeroDivisionError(SECRET), "MODEL_MISBEHAVED"),
]


@pytest.mark.parametrize(("error", "code"), FAILURES, ids=lambda case: type(case).__name__)
def test_a_model_that_fails_is_a_sentence_and_an_end(home: House, client: Client, error: Exception, code: str) -> None:
    home.model.add(error, ["Better."])
    frames = client.turn("Hello?")
    assert types(frames) == ["status", "chat_response", "status", "end"]
    (sentence,) = texts(frames)
    assert sentence.startswith(f"{code}: ")
    assert sentence.endswith(".")
    assert "secret" not in sentence
    assert "Traceback" not in sentence
    client.assert_quiet()
    assert texts(client.turn("Better now?")) == ["Better."]


def test_what_was_done_before_the_failure_stays(home: House, client: Client) -> None:
    home.model.add(["I will add gold.", GOLD], ModelOverloadedError("scripted", SECRET), ["Ten."])
    client.ask("Add gold.")
    client.answer(client.call())
    said = texts(client.until("end"))[0]
    assert said.startswith("MODEL_OVERLOADED: ")
    assert "What was done before stays; say undo to take it back." in said
    client.turn("How much?")
    assert "gold: num = 10" in home.model.requests[-1].context


def test_where_nothing_was_done_nothing_stays(home: House, client: Client) -> None:
    home.model.add(ModelOverloadedError("scripted", SECRET))
    assert "stays" not in texts(client.turn("Add gold."))[0]


def test_a_key_that_a_provider_repeats_is_not_logged(
    home: House, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-told-to-nobody")
    home.model.add(ModelOverloadedError("scripted", "Incorrect key: sk-told-to-nobody"))
    client.turn("Add gold.")
    assert "Incorrect key: <OPENAI_API_KEY>" in caplog.text
    assert "sk-told-to-nobody" not in caplog.text


@pytest.mark.parametrize("call", [Use("paint_node"), Use("create_variable", raw="{")], ids=["no tool", "no JSON"])
def test_a_model_that_keeps_calling_wrongly_is_given_up(home: House, client: Client, call: Use) -> None:
    home.model.otherwise = [call]
    frames = client.turn("Paint it.")
    assert texts(frames)[-1].startswith("MODEL_MISBEHAVED: ")
    assert types(frames)[-1] == "end"
    assert len(home.model.requests) < 10


def test_a_model_that_goes_in_circles_is_stopped(home: House, client: Client) -> None:
    home.model.otherwise = [Use("update_node", {"node_id": 99, "name": "x"})]
    frames = client.turn("Go.")
    assert texts(frames)[-1].startswith("Not done: update node failed 4 times")
    assert len(home.model.requests) == 5
    assert types(frames)[-1] == "end"


@pytest.mark.parametrize("last", [[""], ["  \n"]], ids=["empty", "blank"])
def test_a_model_that_says_nothing_after_its_work_is_done(home: House, client: Client, last: Reply) -> None:
    home.model.add([GOLD], last, ["Added."])
    client.ask("Add gold.")
    client.answer(client.call())
    frames = client.until("end")
    assert not [text for text in texts(frames) if "MISBEHAVED" in text]


@pytest.mark.parametrize("part", ["documents", "retrieve", "answer"])
def test_a_retriever_that_fails(
    home: House,
    client: Client,
    part: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    home.model.otherwise = [Use("search_documents", {"query": "Elena"})]

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(SECRET)

    with monkeypatch.context() as patched:
        patched.setattr(home.retriever, part, fail)
        frames = client.turn("Who is Elena?")
    assert types(frames) == ["status", "chat_response", "status", "end"]
    (sentence,) = texts(frames)
    assert sentence.startswith("INTERNAL: ")
    assert "secret" not in sentence
    home.model.otherwise = ["Elena."]
    assert texts(client.turn("Who is Elena?")) == ["Elena."]


def test_an_engine_that_fails(home: House, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError(SECRET)

    home.model.add([GOLD])
    with monkeypatch.context() as patched:
        patched.setattr("arrow_project.ArrowProject.apply", fail)
        frames = client.turn("Add gold.")
    assert texts(frames)[0].startswith("INTERNAL: ")
    assert types(frames)[-1] == "end"
    client.assert_quiet()


def test_a_catalog_that_fails_before_the_turn(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError(SECRET)

    with home.client() as client:
        with monkeypatch.context() as patched:
            patched.setattr(home.catalog, "has_project", fail)
            frames = client.turn("Hello?")
        assert texts(frames)[0].startswith("INTERNAL: ")
        assert types(frames)[-1] == "end"
        client.assert_quiet()


@pytest.mark.parametrize("fails", ["corpora.catalog.Catalog.put_pending", "agent.turn.turn.Citations.cited_in"])
def test_what_a_turn_has_done_that_fails_at_its_end_can_be_taken_back(
    home: House, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise CatalogError("The disk is full.")

    home.model.add([GOLD], ["Done."], ["Hello."])
    editor = Dispatcher(story_text())
    with home.client("/ws/chat?dialect=arrow-ai") as client:
        with monkeypatch.context() as patched:
            patched.setattr(fails, fail)
            client.ask("Add gold.", arrow_content=story_text())
            said = json.dumps(follow(client, editor, "end"))
            client.ask("Hello?", arrow_content=editor.content)  # may fail as well
            follow(client, editor, "end")
        assert "The disk is full." in said
        client.ask("undo", arrow_content=editor.content)
        follow(client, editor, "end")
        if '"gold"' in editor.content:  # what was not kept in time may be the user's
            client.ask("yes", arrow_content=editor.content)
            follow(client, editor, "end")
    assert '"gold"' not in editor.content


def test_what_a_turn_has_done_that_fails_at_its_end_is_known(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(SECRET)

    home.model.add([GOLD], ["Done."], ["Ten."])
    editor = Dispatcher(story_text(title="By hand"))  # so that the turn goes on with what the editor reports
    with home.client("/ws/chat?dialect=arrow-ai") as client:
        with monkeypatch.context() as patched:
            patched.setattr("agent.turn.turn.Citations.cited_in", fail)
            client.ask("Add gold.", arrow_content=story_text())
            follow(client, editor, "end")
        client.ask("How much?")
        follow(client, editor, "end")
    assert "By hand" in home.model.requests[-1].context
    assert "gold: num = 10" in home.model.requests[-1].context


def test_a_parser_that_fails(home: House, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError(SECRET)

    with monkeypatch.context() as patched:
        patched.setattr("server.socket.read_story.parse", fail)
        client.sync(story_text("Another"))
        answer = client.frame()["message"]
    assert answer.startswith("INTERNAL: ")
    assert "secret" not in answer
    client.assert_quiet()
