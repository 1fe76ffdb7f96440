"""Which folders of the machine may be linked."""

from pathlib import Path

import pytest

from ingest import FolderRoots, FolderUnusable


def test_a_path_that_no_system_has_is_not_looked_at(tmp_path: Path) -> None:
    roots = FolderRoots(tmp_path / "data", {"red": (tmp_path,)})
    with pytest.raises(FolderUnusable, match="no system has one of over 4,096"):
        roots.admit(f"{tmp_path}{'/a' * 450_000}", "red", by_owner=False)
