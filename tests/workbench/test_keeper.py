"""What of a story is sent to its browser, to be kept there."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import json

from tests.workbench.test_forms import on_a_page
from workbench.access.socket_limits import _MOST_UNREAD  # pyright: ignore[reportPrivateUsage]
from workbench.story.keeper import StoryKeeper
from workbench.story.shown_story import ShownStory


@pytest.mark.parametrize(
    ("text", "is_sent"),
    [
        ('"' * 5_000_000, True),
        ('"' * 5_000_001, False),
        ("🕯" + '"' * 1_900_000, True),
        ("🕯" + '"' * 2_100_000, False),
        ("🕯" + "\n" * 2_100_000, False),
        ("я" * 4_900_000, True),
    ],
    ids=["as much as a browser keeps", "more", "wide", "wide and long", "lines", "Cyrillic"],
)
def test_no_more_is_sent_than_may_be_unread(monkeypatch: pytest.MonkeyPatch, text: str, *, is_sent: bool) -> None:
    sent = list[Any]()

    async def hear(_: object) -> None: ...

    async def use() -> None:
        shown = ShownStory()
        StoryKeeper(shown, "/story", "fletcher/story/red", hear)
        story: Any = SimpleNamespace(name="a.arrow", text=text, file=None, sha256="", digest="0", scene_of_entry=0)
        shown.open(story)

    json.dumps(text)  # which leaves its UTF-8 with it
    monkeypatch.setattr(StoryKeeper, "run_method", lambda _self, *arguments: sent.append(arguments))
    on_a_page(use)
    (kept,) = [text for name, *given in sent if name == "keep" for text in given[1:]]
    assert (kept == text) is is_sent
    assert is_sent or kept is None
    assert sys.getsizeof(json.dumps(json.dumps(sent))) <= _MOST_UNREAD
