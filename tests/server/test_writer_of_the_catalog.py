"""While a long document is put into the catalog, which has one writer, turns go on."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from arrow_project import parse
from tests.agent.scripted_model import Use
from tests.agent.story import story_text
from tests.server.house import house

GOLD = {"name": "gold", "type": "num", "initial_value": 10}


def test_an_edit_a_question_a_yes_and_an_undo_wait_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.sqlite._BUSY_TIMEOUT_S", 1)  # whoever waits fails soon
    with (
        house(tmp_path) as home,
        home.http() as http,
        closing(sqlite3.connect(tmp_path / "catalog.sqlite3", isolation_level=None)) as writer,
    ):
        writer.execute("BEGIN IMMEDIATE")
        home.model.add([Use("create_variable", GOLD)], ["Done."])
        edited = turn(http, story_text(), message="Add gold.")
        home.model.add(["I will remove the pier.", Use("delete_node", {"node_id": 3})])
        asked = turn(http, edited["arrow_content"], message="Remove the pier.")
        home.model.add(["Gone."])
        removed = turn(http, asked["arrow_content"], message="yes", pending_id=asked["question"]["pending_id"])
        assert 3 not in parse(removed["arrow_content"]).data.nodes
        back = turn(http, removed["arrow_content"], function="undo", function_params={}, confirm="never")
        assert back["arrow_content"] == edited["arrow_content"]
        writer.rollback()


def turn(http: httpx.Client, story: str, **fields: Any) -> dict[str, Any]:
    answer = http.post("/projects/1/turns", json={"message": "", "arrow_content": story} | fields)
    assert answer.status_code == 200, answer.text
    return answer.json()
