"""The story is changed: by a message or a form, first as a preview, and taken back."""

import asyncio
from functools import partial
from typing import Any

from nicegui import ui

from agent import Asked
from arrow_project import ArrowProject
from server import RequestError, TurnBody
from server.turn_rate import TooManyTurns
from server.turn_routes import HistoryEntry
from workbench.forms import FunctionForm
from workbench.open_story import OpenStory
from workbench.story_folders import StoryFolders
from workbench.telling import Telling
from workbench.visit import Visit


class ChangePanel:
    """A conversation about the story.

    Args:
        visit: The page.
        files: Where a story that was picked is written back.
    """

    def __init__(self, visit: Visit, files: StoryFolders) -> None:
        self._visit = visit
        self._files = files
        self._history: list[HistoryEntry] = []
        self._asked: Asked | None = None
        self._turn: asyncio.Task[dict[str, Any]] | None = None
        with ui.element("section").classes("change").props('aria-label="Change the story"'):
            self._draw_file()
            self._said = ui.column().classes("answers")
            self._said.props('aria-live="polite" role="log" aria-label="Conversation" tabindex="0"')
            self._draw_question()
            self._draw_message()
            with ui.expansion("Functions").classes("folder"):
                FunctionForm(self._preview_function)
        self._show_state()

    def _draw_file(self) -> None:
        with ui.row().classes("line"):
            self._back = ui.button("Undo", icon="undo", on_click=self._undo).props("no-caps outline")
            self._take_along = ui.button("Download", icon="download", on_click=self._download).props("no-caps outline")
            self._write = ui.button("Write back", icon="save", on_click=self._write_back).props("no-caps outline")
        self._visit.story_changed.subscribe(self._show_state)

    def _draw_question(self) -> None:
        with ui.row().classes("line") as self._answers_to_question:
            ui.button("Yes", on_click=partial(self._answer, "yes")).props("no-caps")
            ui.button("No", on_click=partial(self._answer, "no")).props("no-caps outline")

    def _draw_message(self) -> None:
        if not self._visit.has_model:
            ui.label(
                "Without a model, messages are commands such as “add a dialog by Mina after 12: Good evening.”; the "
                "forms below do the rest; what is not understood whole changes nothing. With a model any words do: "
                "set ANTHROPIC_API_KEY, or FLETCHER_MODEL, and start the server again."
            ).classes("hint")
        self._message = ui.textarea("Message").props("outlined autogrow maxlength=60000").classes("wide")
        with ui.row().classes("line"):
            self._preview = ui.button("Preview", on_click=partial(self._send, "plan")).props("no-caps")
            self._apply = ui.button("Apply", on_click=self._apply_or_send).props("no-caps outline")
            self._discard = ui.button("Discard", on_click=partial(self._answer, "no")).props("no-caps outline")
            self._change = ui.button("Change …").props("no-caps outline")
            self._change.on("click", js_handler=f'() => runMethod({self._message.id}, "focus", [])')
            self._stop = ui.button("Stop", on_click=self._end).props("no-caps outline")
        self._state = ui.label().props('role="status"').classes("status")

    def _show_state(self) -> None:
        """What can be done now."""
        opened = self._visit.story
        is_running = self._turn is not None
        self._write.set_visibility(opened is not None and opened.file is not None)
        self._discard.set_visibility(self._asked is not None and self._asked.kind == "plan")
        self._change.set_visibility(self._asked is not None)
        self._answers_to_question.set_visibility(self._asked is not None and self._asked.kind == "confirmation")
        for button in (self._preview, self._apply, self._discard, self._back, self._take_along, self._write):
            button.set_enabled(not is_running)
        self._stop.set_visibility(is_running)
        self._state.set_text("Working on it …" if is_running else "")

    async def _apply_or_send(self) -> None:
        is_agreed = self._asked is not None and self._asked.kind == "plan" and not (self._message.value or "").strip()
        await (self._answer("yes") if is_agreed else self._send("apply"))

    async def _send(self, mode: str) -> None:
        """What is written is a message, or, while a question is open, the answer to it."""
        message = (self._message.value or "").strip()
        if not message:
            self._state.set_text("Write what is to be changed, or asked.")
            return
        self._message.set_value("")
        pending = {"pending_id": self._asked.pending_id} if self._asked else {"mode": mode}
        await self._run(message, message=message, **pending)

    async def _answer(self, reply: str) -> None:
        if self._asked is not None:
            await self._run({"yes": "Yes", "no": "No"}[reply], message=reply, pending_id=self._asked.pending_id)

    async def _undo(self) -> None:
        await self._run("Undo", function="undo")

    async def _preview_function(self, function: str, params: dict[str, Any]) -> None:
        await self._run(f"/{function}", function=function, function_params=params, mode="plan")

    async def _run(self, said: str, **fields: Any) -> None:
        """One turn on the story that is open; what it asks stays open."""
        opened = self._visit.story
        if opened is None or self._turn is not None:
            return
        with self._said:
            ui.label(said).classes("question")
            answer = ui.label().classes("answer")
        telling = Telling(answer)
        body = TurnBody.model_validate({"arrow_content": opened.text, "history": self._history} | fields)
        self._turn = asyncio.ensure_future(self._visit.turn(body, telling.tell))
        self._show_state()
        try:
            outcome = await self._turn
            self._history.append(HistoryEntry(message=said, output=telling.text))
            await self._take(opened, outcome, telling.asked)
        except asyncio.CancelledError:
            telling.add("(stopped; nothing was changed)")
        except (RequestError, TooManyTurns) as error:
            telling.add(str(error))
            answer.classes("problem")
        finally:
            self._turn = None
            self._show_state()
            ui.run_javascript(f"getHtmlElement({self._said.id}).scrollTo({{top: 1e9}})")

    async def _take(self, opened: OpenStory, outcome: dict[str, Any], asked: Asked | None) -> None:
        """Shows what a turn came to: a question with its preview, or the story as it is now."""
        self._asked = asked
        after, preview = opened, None
        if outcome["changed"]:
            text: str = outcome["arrow_content"]
            after = await self._visit.compute(lambda: opened.changed(text))
        if asked is not None and asked.operations:
            preview = await self._visit.compute(lambda: _previewed(after, asked))
        self._visit.open(after, preview)
        self._draw_suggestions(outcome["suggestions"])

    def _draw_suggestions(self, suggestions: list[dict[str, Any]]) -> None:
        with self._said, ui.row().classes("line"):
            for one in suggestions:
                run = partial(self._preview_function, one["function"], one["params"])
                if one["function"] != "undo":
                    ui.button(one["label"], on_click=run).props("outline no-caps dense")

    def _end(self) -> None:
        if self._turn is not None:
            self._turn.cancel()

    def _download(self) -> None:
        if (opened := self._visit.story) is not None:
            ui.download.content(opened.text, opened.name)

    async def _write_back(self) -> None:
        if (opened := self._visit.story) is not None:
            written = await self._visit.ask(partial(self._files.write, opened))
            self._visit.open(written, self._visit.preview)
            self._state.set_text(f"Written to {written.file}.")


def _previewed(opened: OpenStory, asked: Asked) -> ArrowProject:
    """The story as a yes would have it."""
    project = opened.project.copy()
    project.apply_all(asked.operations)
    return project
