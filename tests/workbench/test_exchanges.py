"""Of what is said on a page so much is taken, drawn and kept, and one thing at a time."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import ElementFilter, ui

from agent import Asked, TextChunk, TextFinished
from server import RequestError, TooManyTurns
from tests.workbench.test_forms import on_a_page
from tests.workbench.test_kept_conversation import CITATION
from tests.workbench.test_panels import opened, visited
from workbench.asking.citations import draw_citations
from workbench.asking.conversation import Conversation
from workbench.asking.exchanges import Exchanges
from workbench.asking.kept_conversation import MOST_EXCHANGES, Exchange
from workbench.asking.panel import AskPanel, _first_cited  # pyright: ignore[reportPrivateUsage]
from workbench.asking.telling import Telling
from workbench.documents.place import Place
from workbench.frame.bounded import LONGEST_CONVERSATION, LONGEST_TEXT, MOST_WAYS, beginning
from workbench.story.panel import StoryPanel

Say = Callable[[str], Awaitable[None]]


def ask_tab(visit: Any) -> Say:
    """Asks as a visitor of the tab does."""
    panel: Any = AskPanel(visit)

    async def ask(question: str) -> None:
        panel._question.set_value(question)
        await panel._begin(panel._ask)

    return ask


def story_tab(visit: Any) -> Say:
    """Asks for a change of a story, of which the tab shows a preview."""
    panel: Any = StoryPanel(visit)
    visit.shown.open(opened())

    async def send(message: str) -> None:
        panel._change._message.set_value(message)
        await panel._change._send("plan")

    return send


async def refuse(*_: object) -> None:
    """Stands in place of a turn."""
    raise TooManyTurns(60, 1)


def drawn() -> list[str]:
    """The messages that the page shows."""
    return [label.text for label in ElementFilter(kind=ui.label) if "question" in label.classes]


@pytest.mark.parametrize(("tab", "longest"), [(ask_tab, 10_000), (story_tab, 60_000)])
def test_what_is_too_long_is_refused_before_anything_becomes_of_it(tab: Callable[[Any], Say], longest: int) -> None:
    async def use() -> list[str]:
        visit = visited()
        visit.begin_turn = refuse
        say = tab(visit)
        with pytest.raises(RequestError, match=rf"has at most {longest:,} characters, and not {longest + 1:,}"):
            await say("x" * (longest + 1))
        return drawn()

    assert on_a_page(use) == []


@pytest.mark.parametrize("tab", [ask_tab, story_tab])
def test_of_exchanges_the_last_are_drawn_whatever_became_of_them(tab: Callable[[Any], Say]) -> None:
    async def use() -> tuple[set[str], set[int]]:
        visit, sizes = visited(), set[int]()
        visit.begin_turn = refuse
        say = tab(visit)
        for number in range(MOST_EXCHANGES + 3):
            await say(f"message {number}")
            if number >= MOST_EXCHANGES - 1:
                sizes.add(len(ui.context.client.elements))
        return set(drawn()), sizes

    said, sizes = on_a_page(use)
    assert said == {f"message {number + 3}" for number in range(MOST_EXCHANGES)}
    assert len(sizes) == 1


def test_of_a_long_message_the_beginning_is_drawn() -> None:
    async def use() -> list[str]:
        visit = visited()
        visit.begin_turn = refuse
        await story_tab(visit)("x" * 60_000)
        return drawn()

    (said,) = on_a_page(use)
    assert len(said) < LONGEST_TEXT + 100
    assert said.endswith("… (50,000 characters more)")


def test_of_what_was_said_a_page_keeps_what_its_browser_keeps() -> None:
    async def use() -> list[int]:
        visit, histories = visited(), list[int]()

        async def begin_turn(body: Any, _tell: Any) -> dict[str, Any]:
            histories.append(len(body.history))
            return {}

        visit.begin_turn = begin_turn
        conversation = Conversation(visit, "change", lambda: None, lambda _: None)
        for _ in range(8):
            await conversation.say("x" * 60_000, Telling(ui.label()), arrow_content="{}")
            conversation.keep()
        return histories

    assert on_a_page(use) == [0, 1, 2, 3, 4, 4, 4, 4]


def test_a_form_in_which_too_much_is_written_is_refused_and_says_why() -> None:
    async def use() -> tuple[Any, str]:
        telling = Telling(ui.label())
        conversation = Conversation(visited(), "change", lambda: None, lambda _: None)
        params = {"function": "update_node", "function_params": {"text": "x" * 100_001}}
        return await conversation.say("/update_node", telling, arrow_content="{}", **params), telling.text

    outcome, said = on_a_page(use)
    assert outcome is None
    assert "function_params" in said
    assert "100000 characters together; shorten them" in said


@pytest.mark.parametrize(
    ("error", "is_open_still"),
    [(TooManyTurns(600, 60), True), (RequestError(409, "NOT_PENDING", "It is not open any more."), False)],
)
def test_what_was_open_before_a_turn_that_has_not_begun_still_is(error: Exception, is_open_still: bool) -> None:
    async def use() -> bool:
        visit = visited()

        async def begin_turn(_body: Any, _tell: Any) -> dict[str, Any]:
            raise error

        visit.begin_turn = begin_turn
        telling = Telling(ui.label())
        await Conversation(visit, "change", lambda: None, lambda _: None).say("Yes", telling, arrow_content="{}")
        return telling.was_postponed

    assert on_a_page(use) == is_open_still


def test_while_one_search_is_under_way_no_other_begins() -> None:
    async def use() -> list[str]:
        visit, happened = visited(), list[str]()
        panel: Any = AskPanel(visit)
        panel._question.set_value("lamp")

        async def ask(work: Any) -> Any:
            happened.append("waits")
            await panel._begin(panel._search)
            await panel._begin(panel._ask)
            return work()

        visit.ask = ask
        visit.services.retriever = SimpleNamespace(
            answer=lambda *_: SimpleNamespace(passages=[], relevance="none", text_only=False, not_reranked=False)
        )
        await panel._begin(panel._search)
        return [*happened, *drawn()]

    assert on_a_page(use) == ["waits", "waits", "lamp"]  # for the documents, and for the passages


def test_of_very_many_places_that_an_answer_cites_the_first_are_drawn() -> None:
    async def show(_: Place) -> None: ...

    async def use() -> tuple[list[str], list[str]]:
        draw_citations([replace(CITATION, number=number, also_in=()) for number in range(1, 10_000)], show)
        return [one.text for one in ElementFilter(kind=ui.button)], [one.text for one in ElementFilter(kind=ui.label)]

    buttons, labels = on_a_page(use)
    assert buttons[0].startswith("[1] ")
    assert len(buttons) == MOST_WAYS
    assert labels == [f"{9_999 - MOST_WAYS} more are cited."]


@pytest.mark.parametrize(
    ("answer", "first"),
    [
        ("It is dark [3], and cold [1, 2].", 3),
        ("On [ 9, 2, p. 1] as on [3].", 2),
        ("In 2 [of 9] it is cold.", 1),
        ("[" * 190_000 + "[3][1]", 3),
        (f"[{'9' * 5000}, 3]", 3),
    ],
)
def test_the_place_that_an_answer_names_first_is_the_one_that_opens(answer: str, first: int) -> None:
    telling: Any = SimpleNamespace(
        text=answer, citations=tuple(replace(CITATION, number=number) for number in (1, 2, 3))
    )
    assert _first_cited(telling).number == first


def test_of_long_answers_no_more_is_drawn_than_a_page_has_room_for() -> None:
    def texts(exchanges: Exchanges) -> list[str]:
        return [one.text for one in exchanges.descendants() if isinstance(one, ui.label)]

    async def use() -> list[str]:
        exchanges = Exchanges(newest=-1)
        for number, length in enumerate([10, 80_000, 80_000, 30_000_000, 20]):
            with exchanges.begin(str(number)):
                telling = Telling(ui.label())
            await telling.tell(TextChunk("x" * length))
            await telling.tell(Asked("plan", "", "pending", "x" * length))
            assert telling.asked == Asked("plan", "", "pending")
            assert sum(map(len, texts(exchanges))) <= 2 * LONGEST_CONVERSATION + 100
        return texts(exchanges)

    cut = f"{'x' * LONGEST_TEXT}… ({{:,}} characters more)"
    assert on_a_page(use) == [
        *("0", "x" * 10, "1", cut.format(80_000 - LONGEST_TEXT), "2", cut.format(80_000 - LONGEST_TEXT)),
        *("3", cut.format(len(beginning("x" * 30_000_000, LONGEST_CONVERSATION)) - LONGEST_TEXT), "4", "x" * 20),
    ]


def test_what_is_said_piece_by_piece_is_shown_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use() -> list[int]:
        label, shown, is_shown = ui.label(), list[int](), asyncio.Event()
        monkeypatch.setattr(label, "set_text", lambda text: (shown.append(len(text)), is_shown.set()))
        telling = Telling(label)
        for _ in range(1000):
            await telling.tell(TextChunk("x"))
            await asyncio.sleep(0)
        await is_shown.wait()
        await telling.tell(TextChunk("x"))
        await telling.tell(TextFinished("x" * 1001))
        return shown

    *pieces, end = on_a_page(use)
    assert 0 < len(pieces) < 100
    assert end == 1001


def test_what_is_said_of_a_project_that_is_not_shown_any_more_is_not_shown() -> None:
    async def use() -> str:
        label = ui.label()
        telling = Telling(label)
        await telling.tell(TextChunk("x"))
        label.delete()
        await telling.tell(TextFinished("x"))
        return label.text

    assert on_a_page(use) == ""


def test_of_exchanges_no_more_is_drawn_together_than_a_page_has_room_for() -> None:
    async def use() -> int:
        exchanges = Exchanges(newest=0)
        for _ in range(MOST_EXCHANGES):
            with exchanges.begin("x" * 60_000):
                Telling(ui.label()).add("x" * 10_000)
        return len(exchanges.default_slot.children)

    assert on_a_page(use) == LONGEST_CONVERSATION // 20_000


def test_what_was_found_in_another_project_is_not_shown_or_kept_in_the_one_that_was_chosen_meanwhile() -> None:
    async def use() -> list[object]:
        visit = visited()
        panel: Any = AskPanel(visit)
        draw = visit.drawing

        @asynccontextmanager
        async def drawing() -> AsyncGenerator[None]:
            async with draw():
                visit.project = "another"
                yield

        async def ask(work: Any) -> Any:
            return work()

        visit.services.retriever = SimpleNamespace(
            answer=lambda *_: SimpleNamespace(passages=[], relevance="none", text_only=False, not_reranked=False)
        )
        visit.ask, visit.drawing = ask, drawing
        await panel._search("lamp")
        return [*drawn(), *panel._conversation._exchanges]

    assert on_a_page(use) == []


def test_what_is_kept_of_another_project_is_recalled_while_a_stopped_answer_still_ends() -> None:
    async def use() -> list[list[Exchange]]:
        visit, recalled, may_end = visited(), list[list[Exchange]](), asyncio.Event()

        async def begin_turn(_body: Any, _tell: Any) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await may_end.wait()  # as a thread that cannot be stopped
                raise

        visit.begin_turn = lambda *given: asyncio.ensure_future(begin_turn(*given))
        conversation: Any = Conversation(visit, "ask", lambda: None, recalled.append)
        asked = conversation.say("Who?", Telling(ui.label()), message="Who?", arrow_content="{}")
        saying = asyncio.ensure_future(asked)
        for _ in range(3):  # until it waits
            await asyncio.sleep(0)
        assert conversation.is_running
        conversation.forget()
        conversation._recall([Exchange("What of this one?", "A hundred things.")])
        may_end.set()
        assert await saying is None
        return recalled

    assert [[one.said for one in exchanges] for exchanges in on_a_page(use)] == [["What of this one?"]]
