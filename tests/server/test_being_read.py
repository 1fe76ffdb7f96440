"""Documents that are still being read are in the prompt and in answers as such."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.client import texts
from tests.server.house import House, house

BIBLE = {"project_id": 1, "file_name": "bible.md", "file_content": base64.b64encode(b"# Elena\n\nA sailor.").decode()}


def test_the_prompt_says_what_is_being_read(home: House) -> None:
    home.model.add(["It is still being read."], ["A sailor."])
    home.readers.may_go_on.clear()
    with home.client() as client:
        client.sync()
        client.send("design_doc_sync", **BIBLE)
        assert home.readers.reading.wait(PATIENCE_S)
        client.turn("Who is Elena?")
        home.readers.may_go_on.set()
        while "bible.md" not in json.dumps(client.frame()):
            pass
        client.turn("Who is Elena?")
    before, after = (request.context for request in home.model.requests)
    assert 'being read now, and not searchable before that is done: "bible.md"' in before
    assert "no design documents" not in before
    assert "There are no documents" not in before
    assert "being read" not in after


@pytest.mark.parametrize("way", ["socket", "http"])
def test_the_planner_says_so(tmp_path: Path, way: str) -> None:
    with house(tmp_path, local=True) as home:
        home.readers.may_go_on.clear()
        with home.client() as client, home.http() as http:
            client.sync()
            client.send("design_doc_sync", **BIBLE)
            assert home.readers.reading.wait(PATIENCE_S)
            question = "Who is Elena the sailor?"
            if way == "socket":
                said = "\n".join(texts(client.turn(question)))
            else:
                body = {"message": question, "arrow_content": story_text()}
                said = http.post("/projects/1/turns", json=body).json()["text"]
            home.readers.may_go_on.set()
    assert "still reading bible.md" in said
    assert "no design documents" not in said


def test_documents_of_a_linked_folder_are_named_while_they_are_read(tmp_path: Path) -> None:
    (tmp_path / "design").mkdir()
    for name in ("bible.md", "map.xyz"):
        (tmp_path / "design" / name).write_text("# Elena\n\nA sailor.")
    with house(tmp_path / "data", local=True, roots={"local": (tmp_path,)}) as home, home.http() as http:
        home.readers.may_go_on.clear()
        with ThreadPoolExecutor(1) as threads:
            linking = threads.submit(home.http().put, "/projects/1/folder", json={"path": str(tmp_path / "design")})
            assert home.readers.reading.wait(PATIENCE_S)
            body = {"message": "Who is Elena the sailor?", "arrow_content": story_text()}
            said = http.post("/projects/1/turns", json=body).json()["text"]
            home.readers.may_go_on.set()
            assert linking.result().status_code == 200
    assert "still reading bible.md." in said
