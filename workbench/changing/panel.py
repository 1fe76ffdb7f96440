"""The story is changed: by a message or a form, first as a preview, and taken back."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from agent import Asked
from server import RequestError
from workbench.asking.conversation import Conversation
from workbench.asking.exchanges import Exchanges
from workbench.asking.kept_conversation import Exchange
from workbench.asking.message_field import MessageField
from workbench.asking.telling import Telling
from workbench.changing.download import StoryDownload
from workbench.changing.forms import FunctionForm
from workbench.frame.notice import notify
from workbench.story.folders import StoryFolders
from workbench.story.open_story import OpenStory
from workbench.visit import Visit

_LONGEST = 60_000  # characters
_LEFT = "What was under way when another story or project was chosen has changed nothing: ask for it again."
_CLOSED = "This does not wait for an answer any more: ask for it again."


class ChangePanel:
    """A conversation about the story.

    Args:
        visit: The page.
        files: Where a story that was picked is written back.
    """

    def __init__(self, visit: Visit, files: StoryFolders) -> None:
        self._visit = visit
        self._shown = visit.shown
        self._files = files
        self._asked: Asked | None = None
        self._changed_in: str | None = None  # the project of the last turn that changed the story
        self._conversation = Conversation(visit, "change", self._show_state, self._draw_again, self._about)
        with ui.element("section").classes("change").props('aria-label="Change the story"'):
            self._draw_file()
            self._said = Exchanges(newest=-1).props('role="log" aria-label="Conversation" tabindex="0"')
            self._draw_question()
            self._draw_message()
            with ui.expansion("Functions").classes("folder") as self._functions:
                self._form = FunctionForm(self._shown, self._preview_function)
        self._shown.was_opened.subscribe(self._begin)
        visit.project_changed.subscribe(self._forget)
        self._shown.was_changed.subscribe(self._show_state)
        self._show_state()

    def _draw_file(self) -> None:
        with ui.row().classes("line"):
            self._back = ui.button("Undo", icon="undo", on_click=self._undo).props("no-caps outline")
            self._take_along = StoryDownload(self._visit).button
            self._write = ui.button("Write back", icon="save", on_click=self._write_back).props("no-caps outline")

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
        self._message = MessageField("Message", _LONGEST, self._visit.workspace)
        with ui.row().classes("line"):
            self._preview = ui.button("Preview", on_click=partial(self._send, "plan")).props("no-caps")
            self._apply = ui.button("Apply", on_click=self._apply_or_send).props("no-caps outline")
            self._discard = ui.button("Discard", on_click=partial(self._answer, "no")).props("no-caps outline")
            self._change = ui.button("Change …").props("no-caps outline")
            self._change.on("click", js_handler=f'() => runMethod({self._message.id}, "focus", [])')
            self._stop = ui.button("Stop", on_click=self._conversation.stop).props("no-caps outline")
        self._state = ui.label().props('role="status"').classes("status")

    def _begin(self) -> None:
        """Another story is open."""
        self._changed_in = None
        self._forget()

    def _forget(self) -> None:
        """Another story is open, or it is looked at with another project's documents: nothing was said of that yet."""
        self._conversation.forget()
        self._asked = None
        self._form.previewed = None
        self._said.clear()
        if self._shown.story is not None:
            if self._shown.preview is not None:
                self._shown.change(self._shown.story)
            self._conversation.recall()
        self._show_state()

    def _about(self) -> str:
        """The story as it is: what was said of another one, or before it was opened anew, is not said of this."""
        story = self._shown.story
        return "" if story is None else f"{story.name} {story.digest}"

    def _draw_again(self, exchanges: Sequence[Exchange]) -> None:
        """What was said before the page was loaded."""
        for one in exchanges:
            with self._said.begin(one.said):
                ui.label(one.answer).classes("answer")
        if exchanges[-1].is_open:
            with self._said:
                ui.label(_CLOSED).classes("hint")

    def _show_state(self) -> None:
        """What can be done now."""
        story, is_busy = self._shown.story, self._conversation.is_busy
        kind = self._asked.kind if self._asked is not None else None
        self._write.set_visibility(story is not None and story.file is not None)
        self._discard.set_visibility(kind == "plan")
        self._change.set_visibility(kind is not None)
        self._answers_to_question.set_visibility(kind == "confirmation")
        for button in (self._preview, self._apply, self._discard, self._back, self._take_along, self._write):
            button.set_enabled(not is_busy)
        self._stop.set_visibility(self._conversation.is_running)
        self._state.set_text("Working on it …" if is_busy else "")

    async def _apply_or_send(self) -> None:
        is_agreed = self._asked is not None and self._asked.kind == "plan" and not self._message.written
        await (self._answer("yes") if is_agreed else self._send("apply"))

    async def _send(self, mode: str) -> None:
        """What is written is a message, or, while a question is open, the answer to it; a preview of either is one."""
        message = self._message.written
        if not message:
            self._state.set_text("Write what is to be changed, or asked.")
            return
        pending = self._asked.pending_id if self._asked is not None else None
        with self._message.sending():
            is_answered = await self._run(message, message=message, mode=mode, pending_id=pending)
        if not is_answered and not self._message.value:
            self._message.write(message)  # to be sent again

    async def _answer(self, reply: str) -> None:
        if self._asked is not None:
            await self._run({"yes": "Yes", "no": "No"}[reply], message=reply, pending_id=self._asked.pending_id)

    def edit_node(self) -> None:
        """Opens the form that changes the node which is chosen."""
        self._functions.open()
        self._form.choose("update_node")
        ui.run_javascript(f"getHtmlElement({self._functions.id}).scrollIntoView({{block: 'nearest'}})")

    async def _undo(self) -> None:
        project = self._changed_in or self._visit.project
        if project != self._visit.project:
            self._state.set_text(f"The last change was made in project {project}: choose that one to take it back.")
            return
        await self._run("Undo", function="undo")

    async def _preview_function(self, function: str, params: dict[str, Any]) -> bool:
        return await self._run(f"/{function}", function=function, function_params=params, mode="plan")

    async def _run(self, said: str, **fields: Any) -> bool:
        """One turn on the story that is open; what it asks stays open. False where nothing came of it."""
        story = self._shown.story
        if story is None or self._conversation.is_busy:
            return False
        if fields.get("pending_id") is None or fields.get("message") != "yes":
            self._form.previewed = None  # what comes of it is not what the form has previewed
        with self._conversation.busy(), self._shown.changing():
            return await self._turn(said, story, fields)

    async def _turn(self, said: str, story: OpenStory, fields: dict[str, Any]) -> bool:
        project = self._visit.project
        with self._said.begin(said) as exchange:
            telling = Telling(ui.label().classes("answer"))
        fields |= {"current_scene_id": self._scene_of(story), "selected_node_ids": self._shown.selected}
        outcome = await self._conversation.say(said, telling, arrow_content=story.text, **fields)
        if not exchange.is_deleted:  # as it is once another story or project was chosen
            if not telling.was_postponed:
                self._asked = telling.asked
            with exchange:
                self._draw_suggestions(outcome["suggestions"] if outcome is not None else [])
        after, preview = await self._came_to(story, outcome)
        if self._shown.story is not story or (exchange.is_deleted and after is story):
            if not self._visit.is_over:
                notify(_LEFT, "warning")
            return False
        if after is not story:
            self._changed_in = project
        self._shown.change(after, preview if self._asked is not None else None)
        if after is not story:
            self._form.is_applied()
        self._conversation.keep()
        ui.run_javascript(f"getHtmlElement({self._said.id})?.scrollTo({{top: 1e9}}); {self._find_focus}")
        return outcome is not None

    @property
    def _find_focus(self) -> str:
        """For whoever uses keys: a button that was pressed is gone, and the next tab would begin at the page's top."""
        focus = f'runMethod({self._message.id}, "focus", [])'
        return f"requestAnimationFrame(() => document.activeElement === document.body && {focus})"

    async def _came_to(self, story: OpenStory, outcome: dict[str, Any] | None) -> tuple[OpenStory, OpenStory | None]:
        """What a turn came to: the story as it is now, and of a question its preview."""
        after, preview, asked = story, None, self._asked
        if outcome is not None and outcome["changed"]:
            text: str = outcome["arrow_content"]
            try:
                after = await self._visit.compute(lambda: story.changed(text))
            except RequestError as error:
                notify(f"The story stays as it was. {error}")
        if asked is not None and asked.kind != "parameters":
            try:
                preview = await self._visit.preview_story(after, lambda: _previewed(after, asked))
            except RequestError as error:
                notify(f"The preview is not drawn. {error}")
        return after, preview

    def _draw_suggestions(self, suggestions: list[dict[str, Any]]) -> None:
        with ui.row().classes("line"):
            for one in suggestions:
                run = partial(self._preview_function, one["function"], one["params"])
                if one["function"] != "undo":
                    ui.button(one["label"], on_click=run).props("outline no-caps dense")

    def _scene_of(self, story: OpenStory) -> int | None:
        """The scene that is looked at; None where there is only a preview of it."""
        return self._shown.scene if self._shown.scene in story.story.scenes else None

    async def _write_back(self) -> None:
        if (story := self._shown.story) is not None and not self._conversation.is_busy:
            with self._conversation.busy():
                written = await self._visit.ask_drive(partial(self._files.write, story), str(story.file))
                if self._shown.story is story:
                    self._shown.save(written)
            self._state.set_text(f"Written to {story.file}.")


def _previewed(story: OpenStory, asked: Asked) -> OpenStory:
    """The story as a yes would have it."""
    project = story.project.copy()
    project.apply_all(asked.operations)
    return story.changed(project.to_text())
