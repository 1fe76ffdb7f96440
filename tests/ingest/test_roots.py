"""Which folders of the machine may be linked."""

import os
from pathlib import Path

import pytest

from ingest import FolderNotAllowed, FolderRoots, FolderUnusable
from ingest.folder import MOST_DEEP


def test_a_path_that_no_system_has_is_not_looked_at(tmp_path: Path) -> None:
    roots = FolderRoots(tmp_path / "data", {"red": (tmp_path,)})
    with pytest.raises(FolderUnusable, match="no system has one of over 4,096"):
        roots.admit(f"{tmp_path}{'/a' * 450_000}", "red", by_owner=False)


def test_a_folder_that_is_too_deep_is_not_linked(tmp_path: Path) -> None:
    roots = FolderRoots(tmp_path / "data", {"red": (tmp_path,)})
    deep = tmp_path.joinpath(*["d"] * (MOST_DEEP - len(tmp_path.parts)))
    deep.mkdir(parents=True)
    assert roots.admit(str(deep), "red", by_owner=False) == deep.resolve()
    (deep / "d").mkdir()
    with pytest.raises(FolderUnusable, match="more than 100 folders"):
        roots.admit(str(deep / "d"), "red", by_owner=False)


def test_a_path_with_a_name_that_no_system_has_is_refused(tmp_path: Path) -> None:
    roots = FolderRoots(tmp_path / "data", {"red": (tmp_path,)})
    with pytest.raises(FolderUnusable, match="no such folder"):
        roots.admit(f"{tmp_path}/{'a' * 1000}", "red", by_owner=False)


def test_what_is_elsewhere_is_not_even_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own := tmp_path / "own").mkdir()
    roots, looked_at, look = FolderRoots(tmp_path / "data", {"ada": (own,)}), list[str](), os.path.realpath

    def looked(path: str, **options: bool) -> str:
        looked_at.append(str(path))
        return look(path, **options)

    monkeypatch.setattr(os.path, "realpath", looked)
    elsewhere = "/mnt/away/x", f"{own}/../elsewhere", f"/mnt/away/../..{own}"
    for workspace, path in [*(("ada", path) for path in elsewhere), ("bo", str(own))]:
        with pytest.raises(FolderNotAllowed, match="FLETCHER_FOLDERS"):
            roots.admit(path, workspace, by_owner=False)
    assert not set(looked_at) - {str(own)}
    assert roots.admit(str(own), "ada", by_owner=False) == own
