"""Where a page is, as the browser's address says it, and how Back and Forward lead from one to another."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.documents.place import Place, PlaceView
from workbench.visit import Visit

TABS = ("Projects", "Documents", "Ask", "Story")
_LONGEST_NUMBER = 9  # digits of a page
_LONGEST = 10_000  # characters after the `?`
# Where the browser has gone before the page could listen, it says so at once.
_LISTEN = """{
  const tell = () => emitEvent("went", location.search.slice(1));
  addEventListener("popstate", tell);
  if (location.search.slice(1) !== %s) tell();
}"""


@dataclass(frozen=True)
class Address:
    """What is shown.

    Attributes:
        project: A project's id; empty for the one that a page begins with.
        tab: One of `TABS`.
        place: The document that is open in the tab; None for none.
    """

    project: str
    tab: str
    place: Place | None = None

    @classmethod
    def read(cls, query: str) -> "Address":
        """What stands after an address's `?`; of what nobody would have written, nothing is taken."""
        said = dict(parse_qsl(query)) if len(query) <= _LONGEST else {}
        tab, document, page = (said.get(name, "") for name in ("tab", "document", "page"))
        number = int(page) if page.isdecimal() and len(page) <= _LONGEST_NUMBER else None
        place = Place(document, number, said.get("passage")) if document else None
        return cls(said.get("project", ""), tab if tab in TABS else TABS[0], place)

    @property
    def url(self) -> str:
        """The address itself."""
        place = {} if self.place is None else vars(self.place)
        said = {"project": self.project, "tab": self.tab} | place
        return f"/?{urlencode({name: value for name, value in said.items() if value is not None})}"

    @property
    def step(self) -> tuple[str, str, str | None]:
        """What the browser's Back leads away from: a project, a tab or a document, not each page that is turned."""
        return self.project, self.tab, self.place and self.place.document


class History:
    """Keeps the browser's address what is shown, and shows what the browser goes back to.

    Args:
        visit: The page.
        tabs: Its tabs.
        places: Where they show a document.
        address: What the page was asked for; the document that it names is opened.
    """

    def __init__(self, visit: Visit, tabs: ui.tabs, places: Mapping[str, PlaceView], address: Address) -> None:
        self._visit = visit
        self._tabs = tabs
        self._places = places
        self._client = ui.context.client
        self._first = visit.project
        self._address = Address(visit.project, address.tab)  # as the browser has it
        self._query = str(self._client.request.url.query)  # likewise
        self._going = 0
        self._is_due = False
        for moved in (visit.project_changed, visit.place_changed):
            moved.subscribe(self._note)
        tabs.on_value_change(self._note)
        ui.on("went", self._go_back)
        ui.run_javascript(_LISTEN % json.dumps(self._query))
        if address.place is not None:
            ui.timer(0.0, lambda: self._go(address), once=True)

    def _note(self) -> None:
        """A choice of a project is one of a tab too: what is moved in one go is one step."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._keep)

    def _keep(self) -> None:
        self._is_due = False
        shown = self._shown()
        if not self._going and shown != self._address:
            self._put("replaceState" if shown.step == self._address.step else "pushState", shown)

    def _put(self, how: str, shown: Address) -> None:
        """Unless the browser has gone elsewhere meanwhile: then it says so, and that is shown instead."""
        is_there = f"location.search.slice(1) === {json.dumps(self._query)}"
        self._address, self._query = shown, shown.url.partition("?")[2]
        self._client.run_javascript(f'if ({is_there}) history.{how}(null, "", {json.dumps(shown.url)})')

    def _shown(self) -> Address:
        tab = next((name for name in TABS if name == self._tabs.value), TABS[0])  # a socket may say anything
        view = self._places.get(tab)
        return Address(self._visit.project, tab, view.place if view is not None else None)

    async def _go_back(self, event: GenericEventArguments) -> None:
        self._query = str(event.args)[: _LONGEST + 1]
        await self._go(Address.read(self._query))

    async def _go(self, address: Address) -> None:
        self._going += 1
        try:
            await self._show(address)
        finally:
            self._going -= 1
            if not self._going:
                self._put("replaceState", self._shown())  # what is gone meanwhile is not shown

    async def _show(self, address: Address) -> None:
        project = address.project or self._first
        if project != self._visit.project:
            self._visit.show(project)
        self._tabs.set_value(address.tab)
        view = self._places.get(address.tab)
        if view is not None and view.place != address.place:
            await view.show(address.place) if address.place is not None else view.close()
