"""Original files: by hash, whole or not at all."""

import errno
import hashlib
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora import OriginalNotFound, Originals, OriginalStore, StorageError, StoredOriginals


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return Originals(tmp_path / "originals")


@pytest.fixture(params=["folder", pytest.param("database", marks=pytest.mark.long)])
def any_originals(request: pytest.FixtureRequest, originals: Originals) -> Iterator[OriginalStore]:
    if request.param == "folder":
        yield originals
        return
    with closing(StoredOriginals(request.getfixturevalue("empty_database")())) as stored:
        yield stored


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary())
def test_bytes_come_back(any_originals: OriginalStore, data: bytes) -> None:
    sha256 = any_originals.put(data)
    assert sha256 == hashlib.sha256(data).hexdigest() == any_originals.put(data)
    assert any_originals.get(sha256) == data


@pytest.mark.parametrize("size", [0, 4 * 2**20, 9 * 2**20 + 1])
def test_a_long_file_is_one_as_well(any_originals: OriginalStore, size: int) -> None:
    data = bytes(range(251)) * (size // 251 + 1)
    assert any_originals.get(any_originals.put(data[:size])) == data[:size]


@pytest.mark.parametrize("left", [b"", b"dat", b"dada"])
def test_other_bytes_than_were_given_are_no_original(originals: Originals, left: bytes) -> None:
    sha256 = originals.put(b"data")
    originals.path(sha256).write_bytes(left)
    with pytest.raises(StorageError, match="is damaged: ingest its document again"):
        originals.get(sha256)
    originals.put(b"data")
    assert originals.get(sha256) == b"data"


def test_of_a_folder_that_cannot_be_listed_no_other_is_hidden(
    originals: Originals, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    damaged, whole = originals.put(b"one"), originals.put(b"two")
    listed = Path.iterdir

    def on_a_damaged_disk(folder: Path) -> Iterator[Path]:
        if folder.name == damaged[:2]:
            raise OSError(errno.EIO, "Input/output error", str(folder))
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", on_a_damaged_disk)
    with caplog.at_level(logging.WARNING):
        assert originals.hashes() == {whole}
    assert damaged[:2] in caplog.text


def test_files_are_spread_over_folders(originals: Originals) -> None:
    sha256 = originals.put(b"data")
    assert originals.path(sha256).parent.name == sha256[:2]


def test_a_long_write_keeps_nobody_waiting_who_deletes_or_whose_file_is_in_another_folder(originals: Originals) -> None:
    long, short = (hashlib.sha256(data).hexdigest()[:2] for data in (b"long", b"short"))
    assert long != short
    beside = originals.put(b"long")
    with originals._changing[long]:  # pyright: ignore[reportPrivateUsage]
        sha256 = originals.put(b"short")
        originals.delete([sha256, beside])
    assert originals.hashes() == set()


def test_a_write_that_fails_leaves_nothing(
    originals: Originals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("corpora.files.os.fsync", full)
    with pytest.raises(StorageError, match="No space"):
        originals.put(b"data")
    assert [path for path in (tmp_path / "originals").rglob("*") if path.is_file()] == []


def test_only_the_log_says_where_a_file_cannot_be_written(
    originals: Originals, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "corpora.originals")
    sha256 = originals.put(b"data")
    originals.path(sha256).unlink()
    originals.path(sha256).mkdir()
    (tmp_path / "originals" / hashlib.sha256(b"other").hexdigest()[:2]).write_text("a file where a folder should be")
    with pytest.raises(StorageError, match=r"The original file [0-9a-f]{2,64} cannot be") as refused:
        originals.put(b"other")
    assert str(tmp_path) not in str(refused.value)
    assert str(tmp_path) in caplog.text
    caplog.clear()
    assert originals.delete([sha256]) == {sha256}
    assert str(tmp_path) in caplog.text
    with pytest.raises(OriginalNotFound) as missing:
        originals.get("0" * 64)
    assert str(tmp_path) not in str(missing.value)


def test_a_missing_file_is_named_with_the_remedy(any_originals: OriginalStore) -> None:
    with pytest.raises(OriginalNotFound, match="ingest its document again"):
        any_originals.get("0" * 64)


def test_what_is_to_go_is_deleted_and_nothing_else(any_originals: OriginalStore) -> None:
    kept, gone = any_originals.put(b"kept"), any_originals.put(b"gone")
    any_originals.delete([gone, "0" * 64])
    assert any_originals.get(kept) == b"kept"
    assert any_originals.hashes() == {kept}
    with pytest.raises(OriginalNotFound):
        any_originals.get(gone)


@pytest.mark.parametrize("bad", ["", "../../etc/passwd", "0" * 63, "A" * 64, "0" * 64 + "\n"])
def test_what_is_no_hash_is_no_path(originals: Originals, bad: str) -> None:
    with pytest.raises(OriginalNotFound):
        originals.path(bad)


def test_what_a_killed_process_left_of_it_goes_with_it(originals: Originals) -> None:
    gone = originals.put(b"gone")
    unfinished = originals.path(gone).parent / ".unfinished-abc"
    unfinished.write_bytes(b"half")
    originals.delete([gone])
    assert not originals.path(gone).exists()
    assert not unfinished.exists()


def test_there_may_be_none(any_originals: OriginalStore) -> None:
    any_originals.delete(())
    assert any_originals.hashes() == set()
