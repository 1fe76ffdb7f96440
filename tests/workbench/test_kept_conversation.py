"""What a browser keeps of a conversation: so much of it, and nothing is taken that was not kept."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter

from agent import Citation
from tests.workbench.test_forms import on_a_page
from workbench.asking.conversation import Conversation
from workbench.asking.kept_conversation import MOST_EXCHANGES, Exchange, KeptConversation, as_text, exchanges_in
from workbench.frame.bounded import LONGEST_TEXT, MOST_ELEMENTS, MOST_WAYS

CITATION = Citation(1, "bible.pdf", "a760", 3, 3, "p1", "The lamp is lit.", ("bible.docx",))
SAID = [Exchange("Who?", "Elena [1].", (CITATION,)), Exchange("lamp", "", (CITATION,), is_search=True)]


def test_what_is_kept_is_there_again() -> None:
    assert exchanges_in(as_text("a story", SAID), "a story") == SAID
    assert exchanges_in(as_text("a story", SAID), "another story") == []


def test_of_too_much_the_latest_is_kept() -> None:
    many = [Exchange(str(number), "lamp " * 2000, (CITATION,)) for number in range(MOST_EXCHANGES + 5)]
    text = as_text("", many)
    assert len(text) <= 200_000
    kept = exchanges_in(text, "")
    assert kept == many[-len(kept) :]


@pytest.mark.parametrize("letter", ["x", "é", "🏮", "\n"])
@pytest.mark.parametrize("length", [150_000, 30_000_000])
def test_of_what_is_too_long_the_beginning_is_kept_and_what_was_said_before(letter: str, length: int) -> None:
    text = as_text("", [*SAID, Exchange("Why?", letter * length, (CITATION,) * 250)])
    assert len(text) <= 200_000
    *before, last = exchanges_in(text, "")
    assert before == SAID
    assert last.said == "Why?"
    assert last.answer in (letter * length, f"{letter * LONGEST_TEXT}… ({length - LONGEST_TEXT:,} characters more)")
    assert last.citations == (CITATION,) * MOST_WAYS


def test_where_its_places_are_too_long_the_last_answer_is_kept_without_them() -> None:
    names = tuple(f"{number} {'ﷺ' * 250}" for number in range(20))
    text = as_text("", [*SAID, Exchange("Why?", "Because.", (replace(CITATION, also_in=names),) * 15)])
    assert exchanges_in(text, "") == [*SAID, Exchange("Why?", "Because.")]


def test_no_more_places_are_kept_or_drawn_than_a_page_draws() -> None:
    many = [Exchange(str(number), "lamp", (CITATION,) * 30) for number in range(10)]
    assert exchanges_in(as_text("", many), "") == many[-(MOST_ELEMENTS // 30) :]
    too_many = [Exchange("Who?", "Elena.", (CITATION,) * (MOST_ELEMENTS + 1))]
    assert exchanges_in(TypeAdapter(Any).dump_json({"about": "", "exchanges": too_many}).decode(), "") == []


def test_what_nobody_has_asked_for_is_not_drawn_again() -> None:
    async def use() -> list[list[Exchange]]:
        read = list[list[Exchange]]()
        kept: Any = KeptConversation(read.append)
        (listener,) = kept._event_listeners.values()
        kept.read("1", "")
        for name in ("2", "1", "1"):
            kept._handle_event({"listener_id": listener.id, "args": {"name": name, "text": as_text("", SAID)}})
        return read

    assert on_a_page(use) == [SAID]


def test_what_was_said_has_a_place_for_each_project_of_each_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    names = list[str]()
    monkeypatch.setattr(KeptConversation, "read", lambda _self, name, _about: names.append(name))

    async def use() -> None:
        for workspace, project in (("red", "team-1"), ("red-team", "1"), ("red-team-1", "1"), ("red", "team-1-1")):
            visit: Any = SimpleNamespace(workspace=workspace, project=project)
            Conversation(visit, "ask", lambda: None, lambda _: None).recall()

    on_a_page(use)
    assert len(set(names)) == 4


@pytest.mark.parametrize("text", [None, 3, "", "{", "[]", '{"about": "", "exchanges": [{"said": 1}]}', "[" * 10_000])
def test_what_nobody_kept_is_nothing(text: object) -> None:
    assert exchanges_in(text, "") == []
    assert exchanges_in(as_text("", SAID) + " " * 200_000, "") == []
