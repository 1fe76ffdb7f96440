"""A story that comes while an editor does something: of a million changes is kept what tells them apart."""

import json
import tracemalloc
from typing import Any

from agent.editing.meanwhile import WrittenMeanwhile
from agent.editing.shadow import _came_of_it  # pyright: ignore[reportPrivateUsage]
from arrow_project import ArrowProject, losses, parse, tables_of
from tests.agent.story import story_text

_MANY = 4_000


def with_values(value: int) -> ArrowProject:
    """A story with very many of a value behind long keys."""
    document: Any = json.loads(story_text())
    document["resources"]["nodes"]["2"]["data"]["a" * 1000] = {"b" * 1000: {"c" * 1000: [value] * _MANY}}
    return parse(json.dumps(document))


def test_very_many_changes_that_came_meanwhile_take_little_memory() -> None:
    before, after = with_values(1), with_values(2)
    assert sum(1 for _ in losses(tables_of(before), tables_of(after))) == _MANY
    tracemalloc.start()
    assert _came_of_it(before, after, with_values(2))
    assert not _came_of_it(before, after, with_values(1))
    meanwhile = WrittenMeanwhile(before)
    meanwhile.look_at(after, tables_of(after))
    assert sum(1 for _ in meanwhile.taken_away(with_values(3))) == _MANY
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 500 * _MANY
