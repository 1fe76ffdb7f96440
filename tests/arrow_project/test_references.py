"""Who uses what is listed as Arrow lists it, in steps that grow as the story does."""

from typing import Any

import pytest

from arrow_project import ArrowProject, Operation
from arrow_project.journal import Journal
from tests.agent.story import story
from tests.calls import calls_of

RENAME = Operation("update_variable", {"variable_id": 20, "name": "gas"})
FORGET = Operation("delete_variable", {"variable_id": 20, "force": True})


def _used_by(count: int, *, is_listed: bool) -> ArrowProject:
    """A story in which many nodes set a variable and say its value."""
    project = story()
    for _ in range(count):
        preset = {"variable": 20, "operation": "add", "value": 1}
        project.apply(Operation("create_insert_node", {"type": "variable_update", "preset": preset}))
        project.apply(Operation("create_insert_node", {"type": "content", "preset": {"content": "{oil}"}}))
    if not is_listed:  # as other programs write them
        project.data.variables[20].pop("use")
        for node in project.data.nodes.values():
            node.pop("ref", None)
    return project


@pytest.mark.parametrize("is_listed", [True, False])
@pytest.mark.parametrize("operation", [RENAME, FORGET], ids=["rename", "delete"])
def test_twice_as_many_users_take_twice_as_many_steps(
    operation: Operation, is_listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Any] = []
    put = Journal.put

    def noted(journal: Journal, table: dict[Any, Any], key: Any, value: Any) -> None:
        written.extend(value if key == "use" else ())
        put(journal, table, key, value)

    few, many = (_used_by(count, is_listed=is_listed) for count in (50, 100))
    monkeypatch.setattr(Journal, "put", noted)

    assert calls_of(lambda: many.apply(operation)) < 3 * calls_of(lambda: few.apply(operation))
    assert len(written) <= 2 * (50 + 100)


def test_who_was_listed_before_stays_in_front_even_if_twice() -> None:
    project = _used_by(2, is_listed=True)
    users = list(project.data.variables[20]["use"])
    project.data.variables[20]["use"] = [users[1], 7, users[1], "no id", [7]]
    before = project.checkpoint(), project.to_text()

    project.apply(RENAME)
    assert project.data.variables[20]["use"] == [users[1], 7, users[1], "no id", [7], users[0], *users[2:]]
    project.apply(Operation("delete_node", {"node_id": users[1]}))
    assert project.data.variables[20]["use"] == [7, users[1], "no id", [7], users[0], *users[2:]]

    project.rollback(before[0])
    assert project.to_text() == before[1]


def test_a_list_of_which_nobody_is_left_is_gone_and_one_that_is_new_stands_last() -> None:
    project = story()
    project.apply(Operation("update_node", {"node_id": 2, "data": {"character": -1}}))
    assert "use" not in project.data.characters[21]

    project.apply(Operation("update_node", {"node_id": 2, "data": {"character": 21, "lines": ["{oil}"]}}))

    assert project.data.characters[21]["use"] == [2]
    assert list(project.data.variables[20]) == ["name", "type", "init", "use"]
    assert project.data.nodes[2]["ref"] == [21, 20]


def test_what_other_programs_list_is_dropped_once() -> None:
    project = story()
    project.data.nodes[2]["ref"] = [9, 21, [9], 9, {"a": 1}, [9]]

    called = project.apply(Operation("update_node", {"node_id": 2, "data": {"lines": ["Rain."]}})).calls

    assert project.data.nodes[2]["ref"] == [21]
    assert called[0].arguments["data"]["_use"] == {"drop": [9, [9], {"a": 1}], "refer": []}
