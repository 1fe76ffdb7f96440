"""The folder on the server's machine that belongs to the project."""

from functools import partial

from nicegui import ui

from corpora import FolderNotFound, LinkedFolder
from workbench.frame.latest import Latest
from workbench.visit import Visit


class FolderView:
    """Shows the linked folder, links one, and lets go of it."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._latest = Latest(self._show)
        with ui.expansion("Linked folder", icon="folder_shared").classes("folder"):
            self._content = ui.column().classes("list")
        ui.timer(0.0, self._refresh, once=True)
        visit.project_changed.subscribe(self._refresh)

    async def _refresh(self) -> None:
        await self._latest.run()

    async def _show(self) -> None:
        services, key = self._visit.services, self._visit.key
        try:
            folder = await self._visit.ask(partial(services.catalog.require_folder, key))
        except FolderNotFound:
            folder = None
        if key != self._visit.key:  # chosen meanwhile, and shown next
            return
        self._content.clear()
        with self._content:
            self._draw_link() if folder is None else self._draw_linked(folder)

    def _draw_link(self) -> None:
        ui.label("A folder on the server's machine is kept in step: what changes there is read again.").classes("hint")
        with ui.row().classes("line"):
            path = ui.input("Folder").props("dense outlined maxlength=4096").classes("wide")
            ui.button("Link", on_click=lambda: self._link(path.value or "")).props("no-caps outline")

    def _draw_linked(self, folder: LinkedFolder) -> None:
        ui.label(folder.path)
        if folder.problem:
            ui.label(folder.problem).props('role="alert"').classes("problem")
        ui.button("Unlink", on_click=self._unlink).props("no-caps outline")

    async def _link(self, path: str) -> None:
        await self._visit.services.folders.link(self._visit.key, path, by_owner=self._visit.is_owner)
        await self._refresh()

    async def _unlink(self) -> None:
        await self._visit.services.folders.unlink(self._visit.key)
        await self._refresh()
