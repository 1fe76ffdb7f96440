"""A data directory with nothing in it, copied: to make its tables takes longer than most tests."""

from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from corpora import Catalog, DataDirectory, ProjectKey
from retrieval import VectorStore
from tests.closed_files import settle

copies = set[Path]()
"""Chroma's files that were copied, and are prepared as the first one was."""


@cache
def _files() -> dict[str, bytes]:
    """What Fletcher and Chroma have made by themselves."""
    with TemporaryDirectory() as folder:
        directory = DataDirectory(folder)
        with closing(Catalog(directory.catalog_url)), closing(VectorStore(directory.chroma_path)) as vectors:
            assert not vectors.ids(ProjectKey("local", "1"))
        settle(directory.chroma_path)
        files = [path for path in directory.path.rglob("*") if path.is_file()]
        return {str(path.relative_to(directory.path)): path.read_bytes() for path in files}


def data_directory(path: Path) -> DataDirectory:
    """The data directory at a path, with an empty catalog and an empty Chroma unless there is one already."""
    directory = DataDirectory(path)
    directory.chroma_path.mkdir(mode=0o700, exist_ok=True)
    if not any(directory.chroma_path.iterdir()):  # else nothing need be made, which a process may do for the first time
        for name, content in _files().items():
            if not (file := directory.path / name).exists():
                file.write_bytes(content)
        copies.add(directory.chroma_path / "chroma.sqlite3")
    return directory
