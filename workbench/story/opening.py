"""How a story comes to be open: dropped, picked on the server, the sample, or what the page had before."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from nicegui import ui

from corpora import is_storable, printable
from corpora.samples import SAMPLE
from workbench.frame.giving_up import ask_to_give_up, unsaved
from workbench.story.drop import StoryDrop
from workbench.story.folders import StoryFolders
from workbench.story.open_story import OpenStory
from workbench.visit import Visit


class Opening:
    """Opens one at a time; changes of another that are nowhere else are not given up unasked.

    Args:
        visit: The page.
        folders: Where stories can be picked.
    """

    def __init__(self, visit: Visit, folders: StoryFolders) -> None:
        self._visit = visit
        self._folders = folders
        self._waiting: Callable[[], None] | None = None
        visit.shown.on_close.append(self._forget)
        self._refusal = ui.label().props('role="alert"').classes("problem")
        with ui.row().classes("opening"):
            StoryDrop(visit, self._open, self._refusal.set_text)
            ui.button("Open the sample story", on_click=self._open_sample).props("no-caps outline")
            self._pick = ui.button("Pick one on the server", on_click=self._list_files).props("no-caps outline")
            self._pick.set_visibility(folders.has_folders)
            self._picked = ui.select([], label="Story on the server", on_change=self._open_picked).classes("wide")
            self._picked.props("dense outlined").set_visibility(False)
        self._asking = ui.element("div")

    def _open(self, story: OpenStory, is_unsaved: bool = False) -> None:
        if self._visit.is_over:  # it would stay with a page that is gone
            return
        self._refusal.set_text("")
        open_it = partial(self._visit.shown.open, story, is_unsaved=is_unsaved)
        if names := self._visit.shown.at_risk:
            self._waiting = open_it
            self._asking.clear()
            with self._asking:
                ask_to_give_up(unsaved(names), "Open another story", f"Open {story.name}", self._open_waiting)
        else:
            open_it()

    def _open_waiting(self) -> None:
        open_it, self._waiting = self._waiting, None
        if open_it is not None:
            open_it()

    def _forget(self) -> None:
        self._waiting = None

    async def _open_sample(self) -> None:
        await self._read(lambda: OpenStory.read(SAMPLE.arrow_file.name, SAMPLE.arrow_file.read_bytes()))

    async def _list_files(self) -> None:
        self._pick.disable()  # one look at a time, which may take long
        try:
            files = await self._visit.scan(self._folders.found)
        finally:
            self._pick.enable()
        named = [str(file) for file in files if is_storable(str(file))]
        self._picked.set_options(named, value=None)
        self._picked.set_visibility(True)
        if not files:
            self._refusal.set_text("There is no .arrow file in the folders that FLETCHER_FOLDERS names.")
        elif unnamed := [printable(str(file)) for file in files if not is_storable(str(file))]:
            problem = f"{unnamed[0]} is not listed: its path is no UTF-8. Rename it"
            others = f"; {len(unnamed) - 1} more as well" if len(unnamed) > 1 else ""
            self._refusal.set_text(f"{problem}{others}.")

    async def _open_picked(self) -> None:
        if file := self._picked.value:
            self._picked.set_value(None)  # so that it can be picked again
            self._picked.disable()  # one at a time: each that is read is sent to the browser whole
            try:
                self._open(await self._visit.read_file(self._folders.read, Path(file)))
            finally:
                self._picked.enable()

    async def _read(self, read: Callable[[], OpenStory]) -> None:
        self._open(await self._visit.read_story(read))
