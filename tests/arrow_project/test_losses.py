"""What a story loses is what comparing everything with everything finds, in steps that grow as the story does."""

import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arrow_project import Loss, Operation, losses, tables_of
from arrow_project.bbcode import is_readable_in
from tests.agent.story import story
from tests.calls import calls_of

_WORDS = (
    "oil",
    "the oil",
    "oil is",
    "the oil is low",
    "[b]the oil[/b] is",
    "[color=red]the oil is[/color]",
    "{oil} is",
)
_TEXTS = st.sampled_from(_WORDS)
_DATA = st.fixed_dictionaries(
    {},
    optional={
        "title": _TEXTS,
        "content": _TEXTS,
        "reason": _TEXTS,
        "lines": st.lists(_TEXTS, max_size=5),
        "custom": st.lists(_TEXTS, max_size=3),
    },
)
_WAYS = st.lists(st.tuples(st.integers(0, 5), st.integers(3, 5)), max_size=6)
_NODES = st.fixed_dictionaries(
    {"name": _TEXTS, "data": _DATA}, optional={"notes": _TEXTS, "tags": st.just({"a": "oil"})}
)


def _tables(node: dict[str, Any], ways: list[tuple[int, int]], name: str) -> dict[str, dict[int, dict[str, Any]]]:
    place = {"io": [[2, slot, to, 0] for slot, to in ways]}
    variables = {20: {"name": name}}
    return {"node": {2: node}, "place": {2: place}, "variable": variables, "character": {}}


@given(_NODES, _NODES, _WAYS, _WAYS, st.sampled_from(["oil", "gas"]))
@settings(max_examples=150)
def test_comparing_every_text_with_every_other_finds_the_same(
    was: dict[str, Any], now: dict[str, Any], led: list[tuple[int, int]], leads: list[tuple[int, int]], name: str
) -> None:
    before, after = _tables(was, led, "oil"), _tables(now, leads, name)

    found = [loss for loss in losses(before, after) if loss.kind == "node" and _is_text(loss, now)]

    assert sorted(found, key=repr) == sorted(_naive(was, now, led, leads, name), key=repr)


def _is_text(loss: Loss, now: dict[str, Any]) -> bool:
    """Of what is lost, texts, and ways of choices that are elsewhere now."""
    return bool(loss.was) and loss.place != "name" and not (loss.place.startswith("tags.") and "tags" not in now)


def _texts(node: dict[str, Any]) -> dict[str, str]:
    data, found = node["data"], dict[str, str]()
    for field, value in data.items():
        found |= {field: value} if isinstance(value, str) else {f"{field}[{n}]": text for n, text in enumerate(value)}
    found |= {"notes": node["notes"]} if "notes" in node else {}
    return found | {"name": node["name"]} | ({"tags.a": "oil"} if "tags" in node else {})


def _is_played(place: str) -> bool:
    return place in ("title", "content", "custom[1]", "custom[2]") or place.startswith("lines")


def _is_said(text: str, other: str, *, readably: bool) -> bool:
    if text == other:
        return True
    return " " in text and (is_readable_in(text, other) if readably else text in other)


def _naive(
    was: dict[str, Any], now: dict[str, Any], led: list[tuple[int, int]], leads: list[tuple[int, int]], name: str
) -> list[Loss]:
    def renamed(text: str) -> str:
        return text.replace("{oil}", f"{{{name}}}") if name != "oil" else text

    before, after, lost = _texts(was), _texts(now), list[Loss]()
    for place, text in before.items():
        if after.get(place) == text or place == "name" or (place.startswith("tags") and place not in after):
            continue
        keepers = [
            other
            for at, other in after.items()
            if place == "notes" or _is_played(at) or (not _is_played(place) and at.split("[")[0] == place.split("[")[0])
        ]
        if not any(_is_said(renamed(text), other, readably=_is_played(place)) for other in keepers):
            lost.append(Loss("node", 2, place, text))
    lines, lines_now = was["data"].get("lines", []), now["data"].get("lines", [])
    for slot, choice in enumerate(lines):
        ways = {(to, 0) for at, to in led if at == slot}
        if lines_now[slot : slot + 1] == [choice]:
            continue
        said = [at for at, other in enumerate(lines_now) if _is_said(renamed(choice), other, readably=True)]
        kept = {(to, 0) for at, to in leads if at in said}
        lost += [Loss("node", 2, "connection", choice, True, (2, slot, *way)) for way in ways - kept if said]
    return lost


def _shifted(lines: list[str]) -> tuple[Any, Any]:
    """A dialog before and after a line has come in front of all others, and the tables of both."""
    project = story()
    project.apply(Operation("update_node", {"node_id": 2, "data": {"lines": lines}}))
    before = tables_of(project.copy())
    project.apply(Operation("update_node", {"node_id": 2, "data": {"lines": ["Well.", *lines[:-1]]}}))
    return before, tables_of(project)


@pytest.mark.parametrize("line", ["{n}", "Line {n}."])
def test_twice_as_many_lines_take_twice_as_many_steps(line: str) -> None:
    few, many = ([line.format(n=n) for n in range(count)] for count in (300, 600))

    assert calls_of(lambda: list(losses(*_shifted(many)))) < 3 * calls_of(lambda: list(losses(*_shifted(few))))


def test_what_would_take_too_long_to_find_counts_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    was = {"name": "2", "data": {"content": "The oil is low.", "lines": ["To the pier."]}}
    now = {"name": "2", "data": {"content": "Ada: The oil is low.", "lines": ["Wait.", "Back: To the pier."]}}
    tables = _tables(was, [(0, 3)], "oil"), _tables(now, [(1, 3)], "oil")
    moved = Loss("node", 2, "connection", "", True, (2, 0, 3, 0))
    assert list(losses(*tables)) == [moved]

    monkeypatch.setattr(sys.modules[losses.__module__], "_MOST_SEARCHED", 50)

    assert set(losses(*tables)) == {
        moved,
        Loss("node", 2, "content", "The oil is low."),
        Loss("node", 2, "lines[0]", "To the pier."),
        Loss("node", 2, "connection", "To the pier.", True, (2, 0, 3, 0)),
    }


def test_marks_of_a_text_are_not_looked_at_for_every_other_one() -> None:
    def steps(lines: int) -> int:
        content = "[b]" * 1_500 + "a b"
        was = {"name": "2", "data": {"content": content, "lines": ["a b"] * lines}}
        now = {"name": "2", "data": {"content": content}}
        tables = _tables(was, [], "oil"), _tables(now, [], "oil")
        return calls_of(lambda: list(losses(*tables)))

    assert steps(600) < 2 * steps(100)


def test_once_nothing_may_be_searched_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def steps(count: int) -> int:
        was, now = ({"name": "2", "data": {"lines": [f"{word} {n}" for n in range(count)]}} for word in ("a b", "c d"))
        tables = _tables(was, [], "oil"), _tables(now, [], "oil")
        return calls_of(lambda: list(losses(*tables)))

    monkeypatch.setattr(sys.modules[losses.__module__], "_MOST_SEARCHED", 0)
    assert steps(600) < 3 * steps(300)


def test_a_long_name_is_not_written_into_a_text_that_is_gone_as_often_as_that_exposes_it() -> None:
    before = _tables({"name": "n", "data": {"content": "{a} " * 100_000}}, [], "a")
    after = _tables({"name": "n", "data": {"content": ""}}, [], "x" * 1_000)
    tracemalloc.start()
    try:
        assert [loss.place for loss in losses(before, after) if loss.kind == "node"] == ["content"]
        assert tracemalloc.get_traced_memory()[1] < 30_000_000, "of a hundred that all of it would take"
    finally:
        tracemalloc.stop()


def test_of_values_behind_long_keys_no_more_is_kept_than_tells_them_apart() -> None:
    before, after = story(), story()
    for project, value in ((before, 1), (after, 2)):
        inner: dict[str, Any] = {f"{'k' * 1000}{number}": [value, value] for number in range(100)}
        project.data.nodes[2]["data"] |= {"a" * 1000: {"b" * 1000: inner}}
    lost = set(losses(tables_of(before), tables_of(after)))
    assert len(lost) == 200
    assert max(len(loss.place) for loss in lost) < 300
    assert lost.isdisjoint(losses(tables_of(after), tables_of(before)))
    assert {loss.place for loss in lost} == {loss.place for loss in losses(tables_of(after), tables_of(before))}


def test_of_names_that_are_exchanged_a_text_says_only_what_it_said() -> None:
    before = story()
    for name, value in (("killer", "Ada"), ("victim", "Bo")):
        before.apply(Operation("create_variable", {"name": name, "type": "str", "initial_value": value}))
    said = "It was {killer} who has murdered {victim} at night."
    before.apply(Operation("update_node", {"node_id": 3, "data": {"content": said}}))
    for text, is_kept in (
        ("It was {victim} who has murdered {killer} at night.", True),
        ("It was {killer} who has murdered {killer} at night.", False),
    ):
        after = before.copy()
        for old, new in (("killer", "t"), ("victim", "killer"), ("t", "victim")):
            after.apply(Operation("update_variable", {"by_name": old, "name": new}))
        after.apply(Operation("update_node", {"node_id": 3, "data": {"content": text}}))
        lost = [loss.was for loss in losses(tables_of(before), tables_of(after)) if loss.kind == "node"]
        assert lost == ([] if is_kept else [said])
