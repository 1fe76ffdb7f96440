"""What is in a data directory is its owner's alone, also in a folder that others may enter."""

import os
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from corpora import Catalog, DataDirectory, ManifestEntry, ProjectKey, StorageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
KEY = ProjectKey("local", "1")


@pytest.fixture(autouse=True)
def _usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """What group or others may read, write or enter."""
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if stat.S_IMODE(path.stat().st_mode) & 0o077
    )


def use(folder: Path) -> list[str]:
    directory = DataDirectory(folder)
    with directory.own("http://127.0.0.1:1"), closing(Catalog(directory.catalog_url)) as catalog:
        sha256 = directory.originals.put(b"text")
        directory.originals.manifest.put(ManifestEntry(KEY, "a.md", sha256))
        catalog.put_document(KEY, name="a.md", format="md", sha256=sha256, size=4, text="text", pages=[], passages=[])
        return open_to_others(folder)


def test_a_folder_that_was_there_before_has_nothing_for_others(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    assert use(folder) == []
    assert {"catalog.sqlite3", "owner.json", "lock"} <= {path.name for path in folder.iterdir()} | {"owner.json"}


def test_what_an_older_fletcher_left_for_others_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    use(folder)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (folder / "originals").chmod(0o755)
    use(folder)
    assert [name for name in open_to_others(folder) if "/" not in name] == ["lock"]


@pytest.mark.parametrize("lays", [Path.touch, lambda path: path.symlink_to("elsewhere")], ids=["file", "link"])
def test_nothing_is_kept_in_what_another_user_has_laid_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lays: Callable[[Path], None]
) -> None:
    laid, lstat = tmp_path / "catalog.sqlite3", Path.lstat
    lays(laid)

    def of_another(path: Path) -> os.stat_result:
        fields = list(lstat(path))
        fields[stat.ST_UID] += path == laid
        return os.stat_result(fields)

    monkeypatch.setattr(Path, "lstat", of_another)
    tmp_path.chmod(0o777)
    with pytest.raises(StorageError, match="belongs to another user"):
        use(tmp_path)
    laid.unlink()
    use(tmp_path)
