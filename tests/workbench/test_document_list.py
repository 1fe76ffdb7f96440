"""The list of documents, without a browser: of very many it draws no more than is looked at."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from nicegui import Client, background_tasks, core, ui
from nicegui.page import page

from corpora import Document
from workbench.documents.document_list import DocumentList
from workbench.frame.bounded import MOST_ELEMENTS


async def test_of_very_many_the_first_are_drawn_and_a_filter_finds_the_others() -> None:
    many = 20 * MOST_ELEMENTS
    names = [f"note-{number:05}.md" for number in range(many)]
    turns = list[int]()  # how many rows there are at each

    async def nothing(_: object) -> None: ...

    @asynccontextmanager
    async def in_turn() -> AsyncGenerator[None]:
        turns.append(len(drawn()))
        await asyncio.sleep(0)
        yield

    core.loop = asyncio.get_running_loop()
    with Client(page("/")) as client:
        shown = DocumentList(nothing, nothing, print, in_turn)

        def drawn() -> list[str]:
            buttons = [one for one in client.elements.values() if isinstance(one, ui.button) and one.text]
            return [button.text for button in buttons]

        await shown.show(named(names))
        assert drawn() == names[:MOST_ELEMENTS]
        assert turns == list(range(0, MOST_ELEMENTS, 10))
        assert f"{many} of {many} documents, the first {MOST_ELEMENTS} shown." in _labels(client)
        sought = next(one for one in client.elements.values() if isinstance(one, ui.input))
        await looked_for(sought, "NOTE-03999")
        assert drawn() == ["note-03999.md"]
        assert f"1 of {many} documents." in _labels(client)
        await looked_for(sought, "")
        assert drawn() == names[:MOST_ELEMENTS]


async def test_what_takes_long_to_be_found_is_sought_in_turn_and_given_up_for_what_is_sought_next() -> None:
    many = 4_000
    turns = list[str]()

    async def nothing(_: object) -> None: ...

    @asynccontextmanager
    async def in_turn() -> AsyncGenerator[None]:
        turns.append(sought.value or "")
        if turns == ["ss"] * 3:
            sought.set_value("3")
        yield

    core.loop = asyncio.get_running_loop()
    with Client(page("/")) as client:
        shown = DocumentList(nothing, nothing, print, in_turn)
        sought = next(one for one in client.elements.values() if isinstance(one, ui.input))
        await shown.show(named([f"{'ß' * 200}{number}.md" for number in range(many)]))
        turns.clear()
        await looked_for(sought, "ss")
        assert turns[:3] == ["ss"] * 3
        assert set(turns[3:]) == {"3"}
        assert f"1813 of {many} documents, the first {MOST_ELEMENTS} shown." in _labels(client)


async def test_what_comes_in_while_the_list_is_drawn_is_drawn_in_its_place() -> None:
    before, after = ([f"note-{number:03}.md" for number in range(0, 100, step)] for step in (2, 3))
    turns = list[None]()

    async def nothing(_: object) -> None: ...

    @asynccontextmanager
    async def in_turn() -> AsyncGenerator[None]:
        turns.append(None)
        if len(turns) == 3:
            await shown.show(named(after))
        yield

    with Client(page("/")) as client:
        shown = DocumentList(nothing, nothing, print, in_turn)
        await shown.show(named(before))
        (listed,) = [one for one in client.elements.values() if one.tag == "ul"]
        rows = [button.text for row in listed for button in row if isinstance(button, ui.button)]
    assert rows == after


def named(names: Sequence[str]) -> list[Document]:
    """Documents of these names."""
    return [Document(name, name, "md", "", 3, None, (), 1, 1, datetime.now(UTC)) for name in names]


async def looked_for(field: ui.input, written: str) -> None:
    """Writes it into the field, and waits until what it finds is drawn."""
    before = set(background_tasks.running_tasks)
    field.set_value(written)
    await asyncio.gather(*background_tasks.running_tasks - before)


def _labels(client: Client) -> list[str]:
    return [one.text for one in client.elements.values() if isinstance(one, ui.label)]
