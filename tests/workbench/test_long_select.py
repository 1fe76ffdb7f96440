"""A field to choose one of very many in: a page is sent some of them, and finds the others."""

from types import SimpleNamespace
from typing import Any

from tests.workbench.test_forms import on_a_page
from tests.workbench.test_panels import opened, visited
from workbench.frame.bounded import MOST_CHOICES
from workbench.frame.long_select import LongSelect
from workbench.story.panel import StoryPanel

MANY = {number: f"{number} (dialog by Elena)" for number in range(5000)} | {-1: "The LAST"}


def keys(select: LongSelect) -> list[int]:
    return list(select.options)


def write(select: LongSelect, text: object) -> None:
    """As the page's socket does."""
    said: Any = SimpleNamespace(args=text)
    select._look_for(said)  # pyright: ignore[reportPrivateUsage]


def test_of_very_many_some_are_offered_and_those_that_have_what_is_written() -> None:
    async def use() -> None:
        chosen = list[Any]()
        select = LongSelect("Node", lambda: chosen.append(select.value))
        select.offer(MANY, None)
        assert keys(select) == [*range(MOST_CHOICES)]
        assert select.props["hint"] == "200 of 5,001 are listed: write to find others."
        write(select, "the last")
        assert keys(select) == [-1]
        select.set_value(-1)
        assert keys(select) == [-1, *range(MOST_CHOICES)]
        write(select, "4999 (")
        assert keys(select) == [-1, 4999], "what is chosen stays"
        for odd in (None, 7, {}, "x" * 10**6):
            write(select, odd)
        assert keys(select) == [-1]
        write(select, "")
        assert keys(select) == [-1, *range(MOST_CHOICES)]
        select.offer({1: "one"}, 1)
        assert (keys(select), select.value, select.props["hint"]) == ([1], 1, None)
        assert chosen == [-1, 1]

    on_a_page(use)


def test_few_are_offered_at_once_and_nothing_is_looked_for() -> None:
    async def use() -> None:
        select = LongSelect("Node")
        select.offer({1: "one", 2: "two"}, 2)
        write(select, "one")
        assert (keys(select), select.value) == ([1, 2], 2)

    on_a_page(use)


def test_what_is_offered_again_disturbs_nobody_who_is_choosing() -> None:
    async def use() -> None:
        select = LongSelect("Node")
        select.offer(MANY, None)
        write(select, "4999")
        select.offer(dict(MANY), None)
        assert keys(select) == [4999]

    on_a_page(use)


def test_what_was_clicked_is_chosen_though_the_list_is_another_one_by_then() -> None:
    async def use() -> None:
        select: Any = LongSelect("Node")
        select.offer(MANY, None)
        write(select, "4999")
        for said, chosen in (({"value": 0, "label": MANY[7]}, 7), ({"value": 9, "label": "?"}, None), ("odd", None)):
            select._handle_event({"listener_id": _listener(select), "args": said})
            assert select.value == chosen

    on_a_page(use)


def _listener(select: LongSelect) -> str:
    listeners = select._event_listeners.values()  # pyright: ignore[reportPrivateUsage]
    return next(one.id for one in listeners if one.type == "update:modelValue")


def test_a_page_is_not_sent_every_node_of_a_large_scene() -> None:
    async def use() -> None:
        panel: Any = StoryPanel(visited())
        view = SimpleNamespace(
            scenes=MANY, scene=4000, nodes=MANY, drawing="", outline="", findings=[], marked=[], left_out=0
        )
        panel._shown.story = opened()
        panel._draw(view, "story.arrow")
        assert len(panel._nodes.options) == MOST_CHOICES
        assert keys(panel._scenes) == [4000, *range(MOST_CHOICES)]

    on_a_page(use)
