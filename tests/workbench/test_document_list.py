"""The list of documents, without a browser: of very many it draws no more than is looked at."""

from datetime import UTC, datetime

from nicegui import Client, ui
from nicegui.page import page

from corpora import Document
from workbench.documents.document_list import DocumentList
from workbench.frame.bounded import MOST_ELEMENTS


async def test_of_very_many_the_first_are_drawn_and_a_filter_finds_the_others() -> None:
    now, many = datetime.now(UTC), 20 * MOST_ELEMENTS
    names = [f"note-{number:05}.md" for number in range(many)]
    documents = [Document(name, name, "md", "", 3, None, (), 1, 1, now) for name in names]

    async def nothing(_: object) -> None: ...

    with Client(page("/")) as client:
        shown = DocumentList(nothing, nothing, print)

        def drawn() -> list[str]:
            buttons = [one for one in client.elements.values() if isinstance(one, ui.button) and one.text]
            return [button.text for button in buttons]

        shown.show(documents)
        assert drawn() == names[:MOST_ELEMENTS]
        assert f"{many} of {many} documents, the first {MOST_ELEMENTS} shown." in _labels(client)
        sought = next(one for one in client.elements.values() if isinstance(one, ui.input))
        sought.set_value("NOTE-03999")
        assert drawn() == ["note-03999.md"]
        assert f"1 of {many} documents." in _labels(client)
        sought.set_value("")
        assert sorted(drawn()) == names[:MOST_ELEMENTS]


def _labels(client: Client) -> list[str]:
    return [one.text for one in client.elements.values() if isinstance(one, ui.label)]
