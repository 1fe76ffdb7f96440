"""The story that is open, kept by the browser, for a page that is loaded anew: after a pause, or a restart."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from arrow_project import shorten, width_of
from workbench.frame.bounded import LONGEST_NAME
from workbench.frame.notice import notify
from workbench.story.shown_story import ShownStory

NOT_HEARD = "What was clicked last may not have reached the server, as the connection broke off: was it done?"
"""What is said where nothing is known of a click: it may have begun a turn, or written the story back."""
TURN = "turn"
"""Stands, in what a browser's tab keeps, for a turn that is under way."""
_MOST = 5_000_000
"""Characters that a browser keeps; sending more would hold up everybody for nothing."""
_MOST_BYTES = 31 * 2**20
"""Of a message that has it, in memory; a socket is closed with 32 MiB unread."""
_ESCAPED = ('"', "\\", "\n", "\t", "\r")


class StoryKeeper(ui.element, component="keeper.js"):
    """Keeps it for as long as the browser's tab is open, and asks before changes of it are lost with that.

    Until what was kept is back, its changes are as those of a story that is open.

    Args:
        shown: What is open.
        url: Where what was kept is sent to, as a file that is dropped is.
        name: What it is kept as; of another name nothing is taken.
        on_answer: Hears what is answered to that.
    """

    def __init__(
        self, shown: ShownStory, url: str, name: str, on_answer: Callable[[dict[str, Any]], Awaitable[None]]
    ) -> None:
        super().__init__()
        self.move(self.client.content)  # a browser has what is in the tab only once that is shown, and this at once
        self.props["url"] = url
        self.props["name"] = name
        self.props["form"] = 0  # how many were drawn
        self._shown = shown
        self._kept: object = None
        self._has_warned = False

        def waits(event: GenericEventArguments) -> None:
            if shown.story is None:
                shown.waiting = shorten(event.args["name"], LONGEST_NAME) if event.args["unsaved"] else ""
                self.run_method("bring")

        async def answered(event: GenericEventArguments) -> None:
            is_back = "name" in event.args  # what stands between may answer anything else
            self._instead.set_visibility(not is_back)
            if is_back:
                shown.waiting = ""
            await on_answer(event.args)

        def under_way() -> str:
            return TURN if shown.is_changing else ""

        def clicked(event: GenericEventArguments) -> None:
            shown.clicks = int(event.args)
            self.run_method("hear", shown.clicks, under_way())

        def returns(event: GenericEventArguments) -> None:
            if event.args != shown.clicks:
                notify(NOT_HEARD, "warning")
            clicked(event)

        with ui.row().classes("line") as self._instead:
            ui.button("Try again", on_click=lambda: self.run_method("bring")).props("no-caps")
            ui.button("Download what is kept", on_click=lambda: self.run_method("handOut")).props("no-caps outline")
        self._instead.set_visibility(False)
        self.on("waits", waits)
        self.on("answer", answered)
        self.on("lost", self._warn)
        self.on("clicked", clicked)  # after what it leads to
        self.on("returns", returns)
        shown.was_opened.subscribe(self._begin)
        shown.was_changed.subscribe(self._keep)
        shown.form_is_drawn.subscribe(self._count_form)
        shown.changing_begins_or_ends.subscribe(lambda: self.run_method("mark", under_way()))

    def _count_form(self) -> None:
        """Goes with the elements of the form: a call may come after what is written into them first."""
        self.props["form"] += 1
        self.update()

    def _begin(self) -> None:
        self._has_warned = False
        self._instead.set_visibility(False)

    def _warn(self) -> None:
        """Says it once of a story, when there is something to lose."""
        if self._shown.story is not None and self._shown.is_unsaved and not self._has_warned:
            self._has_warned = True
            said = f"{self._shown.story.name} is longer than a browser keeps: its changes are lost when this page is "
            remedy = "loaded anew or the server is started again. Download it, or write it back, after each change."
            notify(said + remedy, "warning")

    def _keep(self) -> None:
        story, is_unsaved = self._shown.story, self._shown.is_unsaved
        if story is None:
            return
        path = "" if story.file is None else str(story.file)
        is_kept = len(story.text) <= _MOST and _bytes_sent(story.text) <= _MOST_BYTES
        text = story.text if is_kept else None
        said = {"name": story.name, "path": path, "sha256": story.sha256, "unsaved": is_unsaved, "page": self.client.id}
        if self._kept != (said, text):
            self._kept = said, text
            self.run_method("keep", said, text)


def _bytes_sent(text: str) -> int:
    """What a message takes that has it as JSON within a script, which is JSON again: `"` is four characters there."""
    return width_of(text) * (len(text) + 3 * sum(map(text.count, _ESCAPED)))
