"""The tab `Projects`: which there are, another one, and the sample for the first visit."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from agent import in_thread
from corpora import InvalidName, ProjectCounts, ProjectKey
from corpora.samples import SAMPLE
from ingest import Source, counted
from workbench.frame.bounded import draw_first
from workbench.frame.latest import Latest
from workbench.visit import Visit

_TAB = "Projects"
_LONGEST = 64  # characters of a name


class ProjectsPanel:
    """Lists the workspace's projects.

    Args:
        visit: The page.
        tabs: Where a project that was chosen is shown.
    """

    def __init__(self, visit: Visit, tabs: ui.tabs) -> None:
        self._visit = visit
        self._tabs = tabs
        self._drawn: object = None
        self._latest = Latest(self._show)
        ui.label("Projects").classes("title").props('role="heading" aria-level="1"')
        self._list = ui.column().classes("list")
        with ui.row().classes("line"):
            self._new = ui.input("New project", on_change=self._forget_refusal).on("keydown.enter", self._begin)
            self._new.props(
                f'dense outlined maxlength={_LONGEST} hint="Letters, digits, _ . and -, as in inland-light"'
            )
            ui.button("New", on_click=self._begin).props("outline no-caps")
            self._instead = ui.button(on_click=self._begin_instead).props("no-caps")
            self._instead.set_visibility(False)
        ui.timer(0.0, self._refresh, once=True)
        tabs.on_value_change(self._refresh)  # others may have begun one
        visit.documents_changed.subscribe(self._refresh)
        visit.project_changed.subscribe(self._refresh)

    async def _refresh(self) -> None:
        await self._latest.run()

    async def _show(self) -> None:
        if self._tabs.value != _TAB:  # it is drawn as soon as anybody sees it
            return
        visit = self._visit
        await visit.services.rounds.wait(visit.workspace)
        count = partial(visit.services.catalog.project_counts, visit.workspace)
        counts = await visit.services.listing.run(visit.workspace, count)
        drawn = counts, visit.project
        if drawn == self._drawn:  # drawn anew, it would not hear who has just clicked
            return
        self._drawn = drawn
        async with visit.drawing():
            self._draw_all(counts)

    def _draw_all(self, counts: Sequence[ProjectCounts]) -> None:
        visit = self._visit
        with self._list.clear():
            if not counts:
                offer_sample(visit, self._tabs)
            if counts and visit.project not in [one.project for one in counts]:
                ui.label(f"{visit.project}: no documents yet").props('aria-current="true"').classes("hint")
            draw_first(counts, self._draw)

    def _draw(self, one: ProjectCounts) -> None:
        text = f"{one.project}: {counted(one.documents, 'document')}, {counted(one.passages, 'passage')}"
        button = ui.button(text, on_click=partial(self._choose, one.project)).props("flat no-caps align=left")
        button.classes("entry")
        if one.project == self._visit.project:
            button.props('aria-current="true"')

    def _choose(self, project: str) -> None:
        self._visit.show(project)
        self._tabs.set_value("Documents")

    def _begin(self) -> None:
        if name := (self._new.value or "").strip():
            try:
                self._choose(name)
            except InvalidName as error:
                self._new.error = error.message
                self._instead.set_text(f"Call it {allowed_name(name)}")
                self._instead.set_visibility(True)
            else:
                self._new.set_value("")

    def _begin_instead(self) -> None:
        self._new.set_value(allowed_name(self._new.value or ""))
        self._begin()

    def _forget_refusal(self) -> None:
        self._new.error = None
        self._instead.set_visibility(False)


def allowed_name(name: str) -> str:
    """A name that a project can have, as like the one that was written as may be."""
    letters = unicodedata.normalize("NFKD", name[: 10 * _LONGEST]).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9_.]+", "-", letters)[:_LONGEST].strip("-_.") or "my-story"


def offer_sample(visit: Visit, tabs: ui.tabs, picks: Callable[[ui.button], None] | None = None) -> None:
    """For who sees Fletcher for the first time: documents to try it on, and a question about them.

    Args:
        visit: The page.
        tabs: Where it goes on.
        picks: Lets a click on a button choose files; None where the tab `Documents` comes first.
    """
    with ui.card().classes("offer"):
        ui.label("Nothing is here yet. Add your own design documents, or look at what Fletcher does on a sample.")

        async def take() -> None:
            button.disable()
            waiting.set_text(f"Reading the documents of “{SAMPLE.title}” …")
            try:
                await add_sample(visit)
            finally:
                button.enable()
                waiting.set_text("")
            visit.documents_changed.emit()
            visit.question_proposed.emit(SAMPLE.question)
            tabs.set_value("Ask")

        with ui.row().classes("line"):
            button = ui.button("Try the sample", on_click=take).props("no-caps")
            add = ui.button("Add my documents").props("outline no-caps")
            picks(add) if picks is not None else add.on_click(lambda: tabs.set_value("Documents"))
        waiting = ui.label().props('role="status"')


async def add_sample(visit: Visit) -> None:
    """Takes the sample's documents into a project of its own, and shows that; of what is there by a name it stays."""
    services, key = visit.services, ProjectKey(visit.workspace, SAMPLE.name)
    sample = await in_thread(_sample_documents)
    there = await visit.ask(partial(services.ingestor.documents, key, [source.name for source in sample]))
    names = {document.name for document in there.values()}
    await services.intake.add(key, [source for source in sample if source.name not in names])
    visit.show(SAMPLE.name)


def _sample_documents() -> list[Source]:
    return [Source(path.name, path.read_bytes()) for path in sorted(SAMPLE.documents.iterdir()) if path.is_file()]
