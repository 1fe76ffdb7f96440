"""Original files: by hash, whole or not at all."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora import OriginalNotFound, Originals, StorageError


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return Originals(tmp_path / "originals")


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary())
def test_bytes_come_back(originals: Originals, data: bytes) -> None:
    sha256 = originals.put(data)
    assert sha256 == hashlib.sha256(data).hexdigest() == originals.put(data)
    assert originals.get(sha256) == data
    assert originals.path(sha256).parent.name == sha256[:2]


def test_a_write_that_fails_leaves_nothing(
    originals: Originals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("corpora.originals.os.fsync", full)
    with pytest.raises(StorageError, match="No space"):
        originals.put(b"data")
    assert [path for path in (tmp_path / "originals").rglob("*") if path.is_file()] == []


def test_a_missing_file_is_named_with_the_remedy(originals: Originals) -> None:
    with pytest.raises(OriginalNotFound, match="ingest its document again"):
        originals.get("0" * 64)


@pytest.mark.parametrize("bad", ["", "../../etc/passwd", "0" * 63, "A" * 64, "0" * 64 + "\n"])
def test_what_is_no_hash_is_no_path(originals: Originals, bad: str) -> None:
    with pytest.raises(OriginalNotFound):
        originals.path(bad)


def test_what_nobody_needs_is_deleted_and_so_is_what_a_killed_process_left(originals: Originals) -> None:
    kept, gone = originals.put(b"kept"), originals.put(b"gone")
    unfinished = originals.path(kept).parent / ".unfinished-abc"
    unfinished.write_bytes(b"half")
    assert originals.delete_unreferenced({kept}) == 2
    assert originals.get(kept) == b"kept"
    assert not originals.path(gone).exists()
    assert not unfinished.exists()


def test_there_may_be_none(originals: Originals) -> None:
    assert originals.delete_unreferenced(set()) == 0
