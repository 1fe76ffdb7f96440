"""What many open pages of a project ask of the server each second, without a browser."""

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from nicegui import ui

from corpora import Document, ProjectKey
from ingest import Source
from tests.server.house import house
from tests.workbench.test_failures_view import shown
from tests.workbench.test_forms import on_a_page
from workbench.asking.panel import AskPanel
from workbench.documents.panel import DocumentsPanel
from workbench.story.room import OpenStories
from workbench.visit import Visit


def test_documents_are_listed_once_for_all_pages_and_anew_only_where_something_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed_in = list[str]()
    with house(tmp_path, completes=False) as home:
        documents = home.catalog.documents

        def noted(key: ProjectKey, ids: Iterable[str] | None = None) -> list[Document]:
            listed_in.append(threading.current_thread().name.split("_")[0])
            return documents(key, ids)

        async def use() -> list[tuple[str, int]]:
            panels, said = list[tuple[Any, ui.element]](), list[tuple[str, int]]()
            for _ in range(3):
                visit = Visit(home.services, home.key.workspace, is_owner=True, project="1", room=OpenStories())
                with ui.column() as whole, ui.tabs() as tabs:
                    panels.append((DocumentsPanel(visit, tabs), whole))
            asking: Any = AskPanel(
                Visit(home.services, home.key.workspace, is_owner=True, project="1", room=OpenStories())
            )

            async def look() -> None:
                with monkeypatch.context() as patch:
                    patch.setattr(home.catalog, "documents", noted)
                    for _ in range(2):
                        for panel, _whole in panels:
                            await panel._look()
                    await asking._is_empty()
                    await asking._offer_filters()
                (what,) = {" | ".join(shown(whole)) for _panel, whole in panels}
                said.append((what, listed_in.count("listing")))

            await look()
            report = home.ingestor.add(home.key, [Source("bible.md", b"Elena keeps the lighthouse.")])
            await look()
            home.retriever.embed_pending(home.key)
            await look()
            home.catalog.mark_unembedded(home.key)
            await look()
            home.ingestor.add(home.key, [Source("bible.md", b"Elena left the lighthouse.\n\n# Two\n\nIt is dark.")])
            await look()
            home.ingestor.remove(home.key, report.documents[0].id or "")
            await look()
            return said

        said = on_a_page(use)
    to_come = "Found by their words already; by their meaning {} so far."
    shows = ["Nothing is here yet.", to_come.format("0 of 1 passage"), "1 document, 1 passage."]
    shows += [to_come.format("0 of 1 passage"), to_come.format("0 of 2 passages"), "Nothing is here yet."]
    for nth, (expected, (what, lists)) in enumerate(zip(shows, said, strict=True), start=1):
        assert expected in what
        assert lists == nth
    assert set(listed_in) == {"listing"}
