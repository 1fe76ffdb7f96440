"""What every dialect says of every event: within the client's limit, escaped, and nothing is lost."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent import (
    Asked,
    Citation,
    Cited,
    Ended,
    Event,
    Failed,
    Failure,
    Suggested,
    Suggestion,
    TextChunk,
    TextFinished,
    Usage,
)
from arrow_project import Operation
from ingest import DocumentReport, IngestReport, Problem
from server.dialects import DIALECTS, Client, Dialect, PlainDialect, encode, fits, size
from server.dialects.wording import Transcript
from tests.server.client import flat

every_dialect = pytest.mark.parametrize("name", list(DIALECTS))
streaming = pytest.mark.parametrize("name", ["envelope", "arrow-ai", "fletcher"])

texts = st.text(max_size=40).flatmap(lambda text: st.integers(1, 400).map(lambda times: text * times))
citations = st.builds(
    Citation,
    st.integers(1, 99),
    texts,
    st.text(max_size=9),
    st.none() | st.integers(1, 9),
    st.none(),
    st.just("p"),
    texts,
)
suggestions = st.builds(
    Suggestion, texts, st.just("delete_node"), st.dictionaries(st.text(max_size=5), texts, max_size=2)
)
parameters = st.dictionaries(st.text(max_size=5), texts, max_size=2)
operations = st.builds(Operation, st.just("update_node"), parameters)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(TextChunk, texts),
    st.builds(TextFinished, texts),
    st.builds(Cited, st.lists(citations, min_size=1, max_size=4).map(tuple)),
    st.builds(Suggested, st.lists(suggestions, min_size=1, max_size=3).map(tuple)),
    st.builds(Asked, st.just("confirmation"), texts, st.just("id"), texts, st.lists(operations, max_size=3).map(tuple)),
    st.builds(Failed, st.builds(Failure, st.just("MODEL_ERROR"), texts)),
    st.builds(Ended, st.just("done"), st.just(Usage())),
)


def spoken(frames: list[dict[str, Any]]) -> str:
    """The text of some frames."""
    return "".join(str(flat(frame).get("text", flat(frame).get("message", ""))) for frame in frames)


@every_dialect
@settings(deadline=None, max_examples=30)
@given(said=st.lists(events, max_size=5), limit=st.integers(1000, 5000))
def test_every_frame_is_escaped_and_within_the_limit(name: str, said: list[Event], limit: int) -> None:
    dialect = DIALECTS[name](Client(frozenset({"progress"}), limit))
    frames = list(dialect.turn_started("turn_1"))
    for event in said:
        frames += dialect.event(event)
    frames += dialect.turn_ended("done", Usage(1, 2, 3, 0.5))
    frames += dialect.error(Failure("BUSY", "x\N{FOX FACE}" * 3000))
    frames += dialect.corpus_progress("d\N{FOX FACE}" * 2000, "reading", 1, 2)
    for frame in frames:
        assert encode(frame).isascii()
        assert size(frame) <= limit
        assert json.loads(encode(frame)) == json.loads(json.dumps(frame))


@every_dialect
@settings(deadline=None, max_examples=30)
@given(text=texts, pieces=st.integers(1, 7), limit=st.integers(1000, 3000))
def test_a_text_arrives_whole_and_once(name: str, text: str, pieces: int, limit: int) -> None:
    dialect = DIALECTS[name](Client(max_frame_bytes=limit))
    list(dialect.turn_started("turn_1"))
    step = max(1, len(text) // pieces)
    frames: list[dict[str, Any]] = []
    for start in range(0, len(text), step):
        frames += dialect.event(TextChunk(text[start : start + step]))
    frames += dialect.event(TextFinished(text))
    assert spoken(frames) == text


@every_dialect
def test_what_a_question_is_about_arrives_whole_however_long_it_is(name: str) -> None:
    dialect = DIALECTS[name](Client(max_frame_bytes=1000))
    list(dialect.turn_started("turn_1"))
    changes = "\n".join(f"~ node {number} content: «پ» -> «ق»" for number in range(200))
    text = f"update node would change this:\n{changes}\nWhat would be lost: node 3.\nShall I do it? (yes or no)"
    frames = list(
        dialect.event(Asked("confirmation", text, "id", changes, (Operation("delete_node", {"node_id": 3}),)))
    )
    assert text in spoken(frames)
    assert spoken(frames).endswith("Shall I do it? (yes or no)")


@settings(deadline=None, max_examples=50)
@given(text=texts, operation=operations, limit=st.integers(0, 20_000))
def test_what_fits_is_as_long_as_the_client_takes(text: str, operation: Operation, limit: int) -> None:
    frame = {"text": text, "operations": [{"arguments": dict(operation.arguments)}]}
    assert fits(frame, limit) == (size(frame) <= limit)


@every_dialect
@pytest.mark.parametrize("limit", [60_000, 4 * 2**20])
def test_a_question_as_long_as_a_story_is_never_written_at_once(
    name: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else is served meanwhile."""
    said, written = "\u3316" * 3_000_000, list[int]()

    def dumps(value: object) -> str:
        text = json.dumps(value)
        written.append(len(text))
        return text

    monkeypatch.setattr("server.dialects.wording.json", SimpleNamespace(dumps=dumps))
    dialect = DIALECTS[name](Client(max_frame_bytes=limit))
    list(dialect.turn_started("turn_1"))
    operation = Operation("create_insert_node", {"preset": {"content": said}})
    asked = Asked("plan", f"{said}\nShall I do it? (yes or no)", "id", said, (operation,))
    for frame in dialect.event(asked):
        assert size(frame) <= limit
    assert max(written) <= 6 * 4 * 2**20 + 2


@streaming
def test_text_streams_as_it_comes_and_parts_are_kept_apart(name: str) -> None:
    dialect = DIALECTS[name](Client())
    list(dialect.turn_started("turn_1"))
    assert spoken(list(dialect.event(TextChunk("One")))) == "One"
    assert spoken(list(dialect.event(TextFinished("One")))) == ""
    rest = [
        *dialect.event(TextChunk("Two")),
        *dialect.event(TextFinished("Two")),
        *dialect.event(TextFinished("Three")),
    ]
    assert spoken(rest) == ("TwoThree" if name == "fletcher" else "\n\nTwo\n\nThree")


def test_the_end_of_a_part_that_broke_off_is_all_that_is_added() -> None:
    transcript = Transcript()
    assert transcript.chunk("The lamp ") == "The lamp "
    assert transcript.part("The lamp  …") == " …"


def test_blank_text_that_never_ends_does_no_harm() -> None:
    transcript = Transcript()
    assert transcript.chunk("\n") == "\n"
    assert transcript.chunk("Hello.") == "Hello."
    assert transcript.part("Hello.") == ""


def turn(dialect: Dialect) -> list[str]:
    frames = [*dialect.turn_started("turn_1"), *dialect.turn_ended("done", Usage())]
    return [frame["type"] for frame in frames]


def test_how_a_turn_begins_and_ends() -> None:
    assert turn(DIALECTS["spec"](Client())) == ["status", "status", "end"]
    assert turn(DIALECTS["envelope"](Client())) == ["operation_start", "operation_end", "end"]
    assert turn(DIALECTS["arrow-ai"](Client())) == ["operation_start", "end"]
    assert turn(DIALECTS["fletcher"](Client())) == ["turn_start", "turn_end"]


def test_the_id_of_a_turn_is_never_empty() -> None:
    (frame,) = DIALECTS["arrow-ai"](Client()).turn_started("turn_1")
    assert frame["request_id"] == "turn_1"
    (frame,) = DIALECTS["envelope"](Client()).turn_started("turn_1")
    assert frame["data"]["request_id"] == "turn_1"


REPORT = IngestReport(
    "1",
    (
        DocumentReport("bible.pdf", "searchable", "d1", 4, (2,), 12, 0),
        DocumentReport("broken.pdf", "failed", error=Problem("CORRUPT_FILE", "It does not open.")),
    ),
    0.5,
)


@every_dialect
def test_a_report_is_a_sentence_for_those_who_take_no_tables(name: str) -> None:
    frames = list(DIALECTS[name](Client()).corpus_report(REPORT))
    if name == "fletcher":
        assert frames == [{"type": "corpus_report", "documents": [d.as_dict() for d in REPORT.documents]}]
        return
    assert "bible.pdf" in spoken(frames)
    assert "CORRUPT_FILE" in spoken(frames)
    assert len(frames) == 1


@pytest.mark.parametrize("name", ["bible.pdf", "\N{FOX FACE}" * 250], ids=["short name", "long name"])
@pytest.mark.parametrize("problem", [None, Problem("NO_TEXT", "It is scanned. " * 200)], ids=["read", "failed"])
def test_a_report_that_is_too_long_is_shortened(name: str, problem: Problem | None) -> None:
    scanned = DocumentReport(name, "failed", "d" * 32, 400, tuple(range(1, 401)), error=problem)
    fine = DocumentReport("quests.md", "indexed", "e" * 32, passages=3, embedded=3)
    frames = list(
        DIALECTS["fletcher"](Client(max_frame_bytes=1000)).corpus_report(IngestReport("1", (scanned, fine), 1))
    )
    assert all(size(frame) <= 1000 for frame in frames)
    first, second = [document for frame in frames for document in frame["documents"]]
    assert (first["id"], first["pages"], first["status"]) == ("d" * 32, 400, "failed")
    assert first["name"][:5] == name[:5]
    assert second == fine.as_dict()


def test_progress_is_for_those_who_declared_it() -> None:
    progress = ("bible.pdf", "reading", 1, 4)
    for name, dialect in DIALECTS.items():
        assert not list(dialect(Client()).corpus_progress(*progress)), name
    (frame,) = DIALECTS["fletcher"](Client(frozenset({"progress"}))).corpus_progress(*progress)
    assert frame == {"type": "corpus_progress", "document": "bible.pdf", "phase": "reading", "done": 1, "total": 4}


def test_what_is_said_before_the_dialect_is_known_is_flat() -> None:
    (frame,) = PlainDialect(Client()).error(Failure("PARSE_ERROR", "No."))
    assert frame == {"type": "chat_response", "message": "PARSE_ERROR: No."}
    assert list(PlainDialect(Client()).turn_ended("done", Usage())) == [{"type": "end"}]


@every_dialect
@pytest.mark.parametrize("half", ["\ud83e", "a\ud83e b", "\udd8a\ud83e"])
def test_half_a_character_is_replaced(name: str, half: str) -> None:
    frames = DIALECTS[name](Client()).say(half)
    text = "".join(encode(frame) for frame in frames)
    assert "\\ufffd" in text
    assert "\\ud83e" not in text
    assert encode({"a": "\N{FOX FACE}"}) == '{"a": "\\ud83e\\udd8a"}', "a whole one stays"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
        max_leaves=20,
    )
)
def test_a_frame_fits_where_it_has_so_many_bytes_on_the_wire(value: Any) -> None:
    frame = {"type": "function_call", "arguments": value}
    assert fits(frame, size(frame))
    assert not fits(frame, size(frame) - 1)


def test_of_a_frame_that_is_too_long_no_more_is_looked_at() -> None:
    looked_at = list[int]()

    class Long(list[str]):
        def __getitem__(self, at: Any) -> Any:
            looked_at.append(at.stop)
            return super().__getitem__(at)

    assert not fits({"notes": Long([""] * 100_000)}, 1_000)
    assert sum(looked_at) <= 1_000
