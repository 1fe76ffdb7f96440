"""What limits are, where the tests of what happens at them have smaller ones."""

import pytest

from arrow_project import long_texts, text_form
from corpora import folders
from ingest import split, watching
from retrieval import minilm
from server.http import base64_content
from server.limits import room


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        (split.MAX_PASSAGES, 25_000),
        (folders.MOST_FOLDERS, 60),
        (folders.MOST_FOLDERS_OF_WORKSPACE, 20),
        (text_form._MOST_FIELDS, 100_000),  # pyright: ignore[reportPrivateUsage]
        (room._SHORT, 2**20),  # pyright: ignore[reportPrivateUsage]
        (watching._AGAIN_S, 60),  # pyright: ignore[reportPrivateUsage]
    ],
)
def test_a_limit_is_as_it_is_said(limit: float, value: float) -> None:
    assert limit == value


@pytest.mark.parametrize(
    ("at_once", "most"),
    [
        (long_texts._PIECE, 100_000),  # pyright: ignore[reportPrivateUsage]
        (base64_content._PIECE, 2**18),  # pyright: ignore[reportPrivateUsage]
        (minilm._BATCH_TOKENS, 1024),  # pyright: ignore[reportPrivateUsage]
    ],
)
def test_only_so_much_is_taken_apart_at_once(at_once: int, most: int) -> None:
    assert at_once <= most
