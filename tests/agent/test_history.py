"""The client's history as the model's messages."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import CachePoint, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from agent.prompt.history import assemble
from agent.turn.request import Exchange

BEGINS = "<earlier>\nThe conversation begins here.\n</earlier>"


def read(messages: list[ModelMessage]) -> list[tuple[str, list[Any]]]:
    """Who says what, as the model reads it."""
    said: list[tuple[str, list[Any]]] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            (part,) = message.parts
            assert isinstance(part, UserPromptPart)
            said.append(("user", [text for text in part.content if not isinstance(text, CachePoint)]))
        else:
            assert isinstance(message, ModelResponse)
            said.append(("assistant", [part.content for part in message.parts if isinstance(part, TextPart)]))
    return said


def conversation(*exchanges: tuple[str, str]) -> list[tuple[str, list[Any]]]:
    return read(assemble("CONTEXT", [Exchange(*exchange) for exchange in exchanges], "now", 10_000))


def test_without_history_context_and_message_are_one() -> None:
    assert conversation() == [("user", ["CONTEXT", "now"])]


def test_the_context_stands_beside_the_message() -> None:
    assert conversation(("a", "A"), ("b", "B")) == [
        ("user", ["a"]),
        ("assistant", ["A"]),
        ("user", ["b"]),
        ("assistant", ["B"]),
        ("user", ["CONTEXT", "now"]),
    ]


def test_a_history_that_begins_with_a_greeting() -> None:
    assert conversation(("", "Hello!"), ("a", "A")) == [
        ("user", [BEGINS]),
        ("assistant", ["Hello!"]),
        ("user", ["a"]),
        ("assistant", ["A"]),
        ("user", ["CONTEXT", "now"]),
    ]


def test_a_message_that_was_never_answered_joins_the_next() -> None:
    assert conversation(("a", ""), ("b", "B"), ("c", "")) == [
        ("user", ["a", "b"]),
        ("assistant", ["B"]),
        ("user", ["c", "CONTEXT", "now"]),
    ]


def test_two_answers_in_a_row_are_one() -> None:
    assert conversation(("a", "A"), ("", "B"), ("", "C")) == [
        ("user", ["a"]),
        ("assistant", ["A", "B", "C"]),
        ("user", ["CONTEXT", "now"]),
    ]


def test_where_the_history_ends_is_told_to_the_cache() -> None:
    messages = assemble("CONTEXT", [Exchange("a", "A"), Exchange("b", "B")], "now", 10_000)
    ends = [part.content[-1] for m in messages for part in m.parts if isinstance(part, UserPromptPart)]
    assert ends == ["a", CachePoint(), "now"]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.sampled_from(["", "A", "B"])), max_size=8))
def test_sides_alternate_and_nothing_is_lost(exchanges: list[tuple[str, str]]) -> None:
    said = conversation(*exchanges)
    assert [side for side, _ in said] == ["user", "assistant"] * (len(said) // 2) + ["user"]
    assert all(texts for _, texts in said)
    flat = [text for _, texts in said for text in texts]
    given = [text for exchange in exchanges for text in exchange if text]
    assert [text for text in flat if text != BEGINS] == [*given, "CONTEXT", "now"]


def test_a_long_history_loses_its_oldest_exchanges_and_says_so() -> None:
    exchanges = [Exchange(f"question {number} " + "x" * 90, "y" * 100) for number in range(50)]
    said = read(assemble("CONTEXT", exchanges, "now", 1_000))
    first = said[0][1]
    assert first[0] == "<earlier>\n92 earlier messages of this conversation are left out here.\n</earlier>"
    assert first[1].startswith("question 46 ")
    assert sum(len(text) for _, texts in said for text in texts) < 1_300
    assert said[-1] == ("user", ["CONTEXT", "now"])


def test_of_one_exchange_that_is_too_long_the_end_is_kept() -> None:
    said = read(assemble("CONTEXT", [Exchange("a" * 5_000, "b" * 5_000 + "the end")], "now", 1_000))
    assert said[0][1][-1] == "… (cut) " + "a" * 500
    assert said[1][1][0].endswith("the end")
    assert len(said[1][1][0]) < 520


def test_halves_of_characters_do_not_reach_a_provider() -> None:
    said = read(assemble("C\ud83d", [Exchange("m\ud83d", "o\ude00")], "n\ud83d\ude00", 1_000))
    assert said == [("user", ["m\ufffd"]), ("assistant", ["o\ufffd"]), ("user", ["C\ufffd", "n\U0001f600"])]
