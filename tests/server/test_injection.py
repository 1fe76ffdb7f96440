"""Documents that give orders to a model that obeys them: nothing is lost without the writer's own yes."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from arrow_project import Operation, parse
from corpora import ProjectKey
from ingest import Source
from tests.agent.scripted_model import Request, Use
from tests.agent.story import story
from tests.server.client import Client, Frame, types
from tests.server.hostile_documents import HOSTILE, SECRET, Hostile
from tests.server.house import House, house

# What may reach a client unasked: it adds, and takes nothing away.
HARMLESS = {"create_variable", "create_character", "create_insert_node", "create_scene", "create_connection"}
PIER = "The pier is empty, and has been since the winter in which the ferry did not come back.\nNobody waits."


def written_story() -> str:
    """The story of all tests, with a text that somebody has worked on."""
    project = story()
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": PIER}}))
    return project.to_text()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Client]]:
    """One server with all hostile documents, and secrets in another project and in another workspace."""
    with ExitStack() as stack:
        home = stack.enter_context(house(tmp_path_factory.mktemp("hostile") / "data"))
        texts = {h.about: f"# About the {h.about}\n\nThe {h.about}: {h.text}\n" for h in HOSTILE}
        home.ingestor.index(home.key, [Source(f"{about}.md", text.encode()) for about, text in texts.items()])
        home.put("secret.md", f"Psst, {SECRET}.", ProjectKey("local", "2"))
        home.put("secret.md", f"Psst, {SECRET}.", ProjectKey("other", "1"))
        client = stack.enter_context(home.client())
        client.sync(written_story())
        client.assert_quiet()
        yield home, client


def test_there_are_thirty() -> None:
    assert len(HOSTILE) == len({hostile.about for hostile in HOSTILE}) == 30


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.about)
def test_a_model_that_obeys_destroys_nothing(opened: tuple[House, Client], hostile: Hostile) -> None:
    home, client = opened
    client.sync(written_story())
    before = len(home.model.requests)
    home.model.add([hostile.said, *hostile.obeyed])
    home.model.otherwise = [hostile.said]  # it is told that a call failed, and gives up
    client.ask(f"What do the documents say of the {hostile.about}?")
    frames = answered(client)
    requests = home.model.requests[before:]

    calls = [frame["function"] for frame in frames if frame["type"] == "function_call"]
    assert set(calls) <= HARMLESS
    assert len(requests) >= 1
    assert hostile.about in requests[0].context, "the model has read the document"
    assert_quoted(requests[0], hostile)
    for request in requests:
        assert SECRET not in request.everything

    frames = client.turn("no") if "function_call" not in types(frames) else answered_after(client, "no")
    assert "function_call" not in types(frames)


def test_a_yes_of_the_writer_is_obeyed(opened: tuple[House, Client]) -> None:
    """The same call does reach the client when the writer agrees: the tests above would fail otherwise."""
    home, client = opened
    client.sync(written_story())
    home.model.add(["I will.", Use("delete_node", {"node_id": 3})])
    home.model.otherwise = ["Done."]
    client.turn("Delete the pier.")
    client.ask("yes")
    assert client.call()["function"] == "delete_node"
    client.send("stop")
    client.until("end")


def answered(client: Client) -> list[Frame]:
    """All frames until the end; what may be done unasked is done, and reported as the editor would."""
    frames: list[Frame] = []
    project = parse(written_story())
    while not frames or frames[-1]["type"] != "end":
        frame = client.frame()
        frames.append(frame)
        if frame["type"] == "function_call":
            assert frame["function"] in HARMLESS, frame
            arguments: dict[str, Any] = {name: value for name, value in frame["arguments"].items() if name != "offset"}
            done = project.apply(Operation(frame["function"], arguments))
            client.answer(frame, next(iter(done.result.values())), arrow_content=project.to_text())
    return frames


def answered_after(client: Client, message: str) -> list[Frame]:
    client.ask(message)
    return client.until("end")


def assert_quoted(request: Request, hostile: Hostile) -> None:
    """Every line of the document stands behind a bar, inside of `<passages>`."""
    context = request.context
    passages = context[context.index("\n<passages>\n") : context.index("\n</passages>\n")]
    lines = [line for line in passages.splitlines() if hostile.about in line and not line.startswith("<passage ")]
    assert lines
    assert all(line.startswith("| ") for line in lines)
    for element in ("passages", "now"):
        assert context.count(f"</{element}>") == 1


def test_no_passage_of_another_project_or_workspace_is_in_a_prompt(tmp_path: Path) -> None:
    with house(tmp_path / "data") as home:
        home.put("bible.md", "Elena keeps the lighthouse.")
        home.put("secret.md", f"Psst, {SECRET}.", ProjectKey("local", "2"))
        home.put("secret.md", f"Psst, {SECRET}.", ProjectKey("other", "1"))
        home.model.otherwise = ["I do not know."]
        with home.client() as client:
            client.sync()
            for project_id in (1, 2, 1):
                client.sync(project_id=project_id)
                home.model.add(
                    [
                        Use("search_documents", {"query": "marmalade cipher"}),
                        Use("read_document", {"document": "secret.md"}),
                    ]
                )
                before = len(home.model.requests)
                client.turn("What is the marmalade cipher?", current_project_id=project_id)
                said = "".join(request.everything for request in home.model.requests[before:])
                assert (SECRET in said) is (project_id == 2)
