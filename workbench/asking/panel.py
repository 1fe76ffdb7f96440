"""The tab `Ask`: a question, its answer with the places it cites, and the page beside it."""

import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import count

from nicegui import ui

from agent import Citation
from retrieval import RankedPassage, SearchAnswer
from workbench.asking.citations import draw_citations
from workbench.asking.conversation import Conversation
from workbench.asking.exchanges import Exchanges
from workbench.asking.kept_conversation import Exchange
from workbench.asking.message_field import MessageField
from workbench.asking.telling import Telling
from workbench.documents.place import Place, PlaceView
from workbench.frame.bounded import LONGEST_CONVERSATION, LONGEST_TEXT, MOST_NODES
from workbench.frame.long_select import LongSelect
from workbench.story.open_story import BLANK
from workbench.visit import Visit

_MOST_FOUND = 100
_SHOWN = 12
_OTHERWISE = "Use other words, or add the document that would say it."
_NOTHING = f"Nothing in the documents fits that. {_OTHERWISE}"
_REMARKS = {
    "none": f"Nothing in the documents fits that: these passages are only the nearest. {_OTHERWISE}",
    "weak": "The documents may not say it: these passages are the nearest.",
}
_NO_CHANGE = "Nothing was changed: say it in the tab Story, with the story open, to see it before it is done."
_ALL = ""
# In the middle of a word that an input method puts together, Enter only ends that; 229 is what Safari says of it.
_ENTER = "(event) => event.isComposing || event.keyCode === 229 || (event.preventDefault(), emit())"
_BRACKETS, _NUMBER = re.compile(r"\[([^\[\]]+)\]"), re.compile(r"\d+")


class AskPanel:
    """Answers from the documents; `Search` shows the passages alone.

    Attributes:
        place: Where what is cited is shown.
    """

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._conversation = Conversation(visit, "ask", self._show_state, self._draw_again)
        ui.label("Ask").classes("title").props('role="heading" aria-level="1"')
        with ui.element("div").classes("beside"):
            with ui.element("div").classes("main"):
                self._draw_question()
                self._answers = Exchanges(newest=0)
            self.place = PlaceView(visit)
        visit.question_proposed.subscribe(self._question.propose)
        visit.project_changed.subscribe(self._forget)
        visit.documents_changed.subscribe(self._offer_filters)
        self._conversation.recall()

    def _draw_question(self) -> None:
        self._question = MessageField("Question", LONGEST_TEXT, self._visit.workspace)
        ask, search = (partial(self._begin, answer) for answer in (self._ask, self._search))
        self._question.on("keydown.enter.exact", ask, js_handler=_ENTER)
        with ui.row().classes("line"):
            self._button = ui.button("Ask", on_click=ask).props("no-caps")
            self._stop = ui.button("Stop", on_click=self._conversation.stop).props("no-caps outline")
            self._stop.set_visibility(False)
        with ui.row().classes("line").props('role="group" aria-label="Search"'):
            self._search_button = ui.button("Search", icon="search", on_click=search).props("no-caps outline")
            self._document = LongSelect("Document").props("dense outlined")
            self._document.offer({_ALL: "All documents"}, _ALL)
            self._kind = ui.select({_ALL: "All kinds"}, value=_ALL, label="Kind").props("dense outlined")
        if not self._visit.has_model:
            ui.label(
                "Without a model, answers are the documents' own sentences. With one they are put into words: set "
                "ANTHROPIC_API_KEY, or FLETCHER_MODEL, and start the server again."
            ).classes("hint")
        self._state = ui.label().props('role="status"').classes("status")

    def _forget(self) -> None:
        self._conversation.forget()
        self._answers.clear()
        self._conversation.recall()

    async def _offer_filters(self) -> None:
        listed = await self._visit.listed()
        async with self._visit.drawing():
            names = [document.name for document in listed.documents]
            chosen = self._document.value if self._document.value in names else _ALL
            self._document.offer({_ALL: "All documents"} | {name: name for name in names[:MOST_NODES]}, chosen)
            _offer(self._kind, {_ALL: "All kinds"} | {kind: kind for kind in listed.kinds})

    async def _is_empty(self) -> bool:
        """Whether there is nothing that could answer; then that is said."""
        visit = self._visit
        if visit.services.intake.under_way(visit.key) or (await visit.listed()).documents:
            return False
        self._answers.clear()
        with self._answers:
            ui.label(
                f"Project {visit.project} has no documents yet: add some in the tab Documents, or choose another one "
                "in the tab Projects."
            ).classes("answer")
        return True

    async def _begin(self, answer: Callable[[str], Awaitable[None]]) -> None:
        """Lets what is written be answered, where nothing else is under way and there is anything to answer it."""
        question = self._question.written
        if question and not self._conversation.is_busy:
            with self._conversation.busy():
                if not await self._is_empty():
                    self.place.close()  # it is the source of another answer
                    await answer(question)

    async def _ask(self, question: str) -> None:
        with self._answers.begin(question):
            telling = Telling(ui.label().classes("answer"))
            cited = ui.column().classes("list")
        story = self._visit.shown.story
        # What the story says can be asked here as well; a change of it is only described.
        content = {"arrow_content": story.text if story is not None else BLANK, "mode": "plan"}
        if await self._conversation.say(question, telling, message=question, **content) is None:
            return
        self._conversation.keep()
        if telling.asked is not None:
            telling.add(_NO_CHANGE)
        with cited:
            draw_citations(telling.citations, self.place.show)
        if telling.citations:
            await self.place.show(_place_of(_first_cited(telling)))

    async def _search(self, query: str) -> None:
        retriever, kind, key = self._visit.services.retriever, self._kind.value, self._visit.key
        find = partial(retriever.answer, key, query, _MOST_FOUND if kind else _SHOWN)
        found = await self._visit.ask(partial(find, self._document.value or None))
        passages = [one for one in found.passages if not kind or one.passage.document.lower().endswith(kind)]
        remark, cited = _said_of(found, passages, kind), [*map(_cited, count(1), passages[:_SHOWN])]
        async with self._visit.drawing():
            if key == self._visit.key:  # else another project was chosen meanwhile
                self._draw_found(query, remark, cited)
                self._conversation.add_search(query, remark, cited)

    def _draw_found(self, query: str, remark: str, found: Sequence[Citation]) -> None:
        with self._answers.begin(query):
            ui.label(remark).classes("remark")
            draw_citations(found, self.place.show, with_text=True)

    def _draw_again(self, exchanges: Sequence[Exchange]) -> None:
        """What was said before the page was loaded."""
        for one in exchanges:
            if one.is_search:
                self._draw_found(one.said, one.answer, one.citations)
                continue
            with self._answers.begin(one.said):
                ui.label(f"{one.answer}\n\n{_NO_CHANGE}" if one.is_open else one.answer).classes("answer")
                with ui.column().classes("list"):
                    draw_citations(one.citations, self.place.show)

    def _show_state(self) -> None:
        is_busy = self._conversation.is_busy
        self._state.set_text("Looking through the documents …" if is_busy else "")
        self._button.set_enabled(not is_busy)
        self._search_button.set_enabled(not is_busy)
        self._stop.set_visibility(self._conversation.is_running)


def _said_of(found: SearchAnswer, passages: Sequence[RankedPassage], kind: str) -> str:
    """How good what was found is, and what keeps it from being better."""
    if passages:
        said = _REMARKS.get(found.relevance, "")
    elif found.passages:
        said = (
            f"None of the {len(found.passages)} nearest passages is in a {kind} document. Choose the document itself."
        )
    else:
        said = _NOTHING
    text_only = "The vectors cannot be asked just now, so only words were searched for." if found.text_only else ""
    order = "The reranker does not answer just now: the order is that of the search." if found.not_reranked else ""
    return " ".join(filter(None, [said, text_only, order]))


def _first_cited(telling: Telling) -> Citation:
    """The one of its citations that the answer names first; their numbers are those of what was found."""
    by_number = {str(citation.number): citation for citation in telling.citations}
    drawn = telling.text[:LONGEST_CONVERSATION]
    numbers = (number for brackets in _BRACKETS.findall(drawn) for number in _NUMBER.findall(brackets))
    return next((by_number[number] for number in numbers if number in by_number), telling.citations[0])


def _cited(number: int, found: RankedPassage) -> Citation:
    one = found.passage
    return Citation(number, one.document, one.document_id, one.page_from, one.page_to, one.id, one.text, found.also_in)


def _place_of(citation: Citation) -> Place:
    return Place(citation.document_id, citation.page_from, citation.passage_id)


def _offer(select: ui.select, options: dict[str, str]) -> None:
    if options != select.options:
        select.set_options(options, value=select.value if select.value in options else _ALL)
