"""What two contents of a story have to differ in for an undo to be a conflict."""

import hashlib
import json
from types import SimpleNamespace
from typing import Any

import pytest

from arrow_project import fingerprint, parse
from tests.agent.story import story_text


def _changed(*path: str, value: Any) -> str:
    document = json.loads(story_text())
    document["resources"]["characters"]["7"] = {"name": "Elena", "color": "ffffff", "tags": {}}
    place = document if path[0] in {"meta", "bible"} else document["resources"]
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return fingerprint(parse(json.dumps(document)))


@pytest.mark.parametrize("name", ["use", "ref", "offset", "home"])
@pytest.mark.parametrize("path", [("characters", "7", "tags"), ("nodes", "2", "data")])
def test_whatever_an_author_names_so_is_the_story(path: tuple[str, ...], name: str) -> None:
    assert _changed(*path, name, value="old") != _changed(*path, name, value="new")


@pytest.mark.parametrize("path", [("meta", "authors", "1"), ("meta", "notes"), ("bible",), ("nodes", "2", "offset")])
def test_what_stands_beside_the_story_is_not_lost_either(path: tuple[str, ...]) -> None:
    assert _changed(*path, value=["Ada", 1]) != _changed(*path, value=["Bob", 1])


@pytest.mark.parametrize("path", [("meta", "last_save"), ("meta", "editor"), ("meta", "authors", "0")])
def test_saving_is_no_change(path: tuple[str, ...]) -> None:
    assert _changed(*path, value=["", 2]) == _changed(*path, value=["", 900])


@pytest.mark.parametrize(
    "path", [("nodes", "2", "ref"), ("characters", "7", "use"), ("scenes", "0", "map", "2", "offset")]
)
def test_bookkeeping_and_positions_are_not(path: tuple[str, ...]) -> None:
    assert _changed(*path, value=[1, 2]) == _changed(*path, value=[3, 4])


@pytest.mark.parametrize("name", ["others", "5"])
@pytest.mark.parametrize("nothing", [None, 0, [], {}, ""])
def test_a_set_that_arrow_does_not_know_may_hold_nothing_in_any_way(name: str, nothing: object) -> None:
    assert _changed(name, value=nothing)


def test_no_step_goes_over_all_of_a_large_node(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    recorder = SimpleNamespace(update=seen.append, hexdigest=lambda: "")
    monkeypatch.setattr(hashlib, "sha256", lambda: recorder)
    _changed("nodes", "2", "data", "marks", value=[True] * 100_000)
    assert max(map(len, seen)) < 10_000
