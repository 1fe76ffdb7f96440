"""The content that a client sends is parsed only when it, or the story made of it, has changed."""

import pytest

from arrow_project import Operation, ParseError
from server.socket.read_story import read_story
from tests.agent.story import story_text


def test_the_same_content_is_read_once() -> None:
    first = read_story(story_text(), None)
    assert read_story(story_text(), first) is first


def test_other_content_is_read_again() -> None:
    first = read_story(story_text(), None)
    second = read_story(story_text("Another"), first)
    assert second.project.title == "Another"
    assert read_story(story_text(), second).project.title == first.project.title


def test_a_story_that_was_edited_is_read_again() -> None:
    """The client sends what it had before the turn: it has undone all of it."""
    first = read_story(story_text(), None)
    before = first.project.checkpoint()
    first.project.apply(Operation("create_variable", {"name": "gold", "type": "num"}))
    again = read_story(story_text(), first)
    assert "gold" not in again.project.to_text()
    first.project.rollback(before)
    assert read_story(story_text(), first) is first, "what was taken back is as it was"


def test_what_cannot_be_read_is_an_error_each_time() -> None:
    first = read_story(story_text(), None)
    for content in ("{", "[]", "\ud83d"):
        with pytest.raises(ParseError):
            read_story(content, first)
