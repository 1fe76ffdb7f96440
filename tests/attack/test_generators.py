"""What is sent is the same for the same seed, and is what it claims to be."""

import zipfile
from collections.abc import Callable
from io import BytesIO

import pymupdf
import pytest

from tests.attack.bodies import hostile
from tests.attack.documents import hostile_documents, many_entries
from tests.attack.frames import COSTLY, NotUtf8, malformed
from tests.attack.portable_documents import PORTABLE_DOCUMENTS

MANY, BODIES = 40, 80


def test_frames_are_the_same_for_the_same_seed_and_all_different() -> None:
    frames = list(malformed(MANY, 3))
    assert frames == list(malformed(MANY, 3))
    assert frames != list(malformed(MANY, 4))
    assert len(frames) == MANY
    assert len(set(map(repr, frames))) > 0.9 * MANY
    assert any(isinstance(frame, NotUtf8) for frame in frames)
    assert any(len(frame) > 100_000 for frame in frames if isinstance(frame, str))
    assert len(COSTLY) > 5


def test_bodies_are_the_same_for_the_same_seed_and_of_every_kind() -> None:
    bodies = list(hostile(BODIES, 3))
    assert bodies == list(hostile(BODIES, 3))
    assert len({body.kind for body in bodies}) > 14
    assert any(not body.is_whole for body in bodies)


def test_few_documents_are_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1e9)  # an archive says when it was made
    documents = list(hostile_documents(8, 3))
    assert documents == list(hostile_documents(8, 3))
    assert max(len(document.data) for document in documents) < 10 * 2**20


@pytest.mark.parametrize("make", PORTABLE_DOCUMENTS)
def test_a_hostile_pdf_is_one(make: Callable[[float], bytes]) -> None:
    with pymupdf.open(stream=make(0.02), filetype="pdf") as document:
        assert document.is_pdf


def test_an_archive_has_as_many_entries_as_it_says() -> None:
    with zipfile.ZipFile(BytesIO(many_entries(70_000))) as packed:
        assert len(packed.namelist()) == 70_000
    assert len(many_entries(1000)) == 47_129
