"""The manifest: what an original was, kept beside the originals."""

from pathlib import Path

import pytest

from corpora import Manifest, ManifestEntry, ProjectKey, StorageError

HERE, THERE = ProjectKey("local", "1"), ProjectKey("elsewhere", "1")
ENTRIES = [
    ManifestEntry(THERE, "bible.md", "a" * 64),
    ManifestEntry(HERE, "bible.md", "b" * 64),
    ManifestEntry(HERE, "quests/ärger.txt", "a" * 64),
]


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    return Manifest(tmp_path / "documents")


def test_entries_come_back_by_project_and_name(manifest: Manifest) -> None:
    for entry in reversed(ENTRIES):
        manifest.put(entry)
    assert manifest.entries() == ENTRIES


def test_a_name_has_one_entry(manifest: Manifest) -> None:
    for sha256 in ("c" * 64, "d" * 64, "d" * 64):
        manifest.put(ManifestEntry(HERE, "bible.md", sha256))
    assert manifest.entries() == [ManifestEntry(HERE, "bible.md", "d" * 64)]


def test_what_is_removed_is_gone_in_its_project_only(manifest: Manifest) -> None:
    for entry in ENTRIES:
        manifest.put(entry)
    manifest.remove(HERE, "bible.md")
    manifest.remove(HERE, "never there")
    assert manifest.entries() == [ENTRIES[0], ENTRIES[2]]


def test_a_manifest_begins_with_all_entries(manifest: Manifest) -> None:
    assert not manifest.is_there
    manifest.begin(ENTRIES)
    assert manifest.is_there
    assert manifest.entries() == ENTRIES


def test_one_that_was_killed_when_it_began_begins_again(manifest: Manifest) -> None:
    def killed() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        manifest.begin(entry if entry is ENTRIES[0] else killed() for entry in ENTRIES)  # pyright: ignore
    assert not manifest.is_there
    manifest.begin(ENTRIES)
    assert manifest.entries() == ENTRIES


def test_what_is_no_entry_is_left_out(manifest: Manifest, tmp_path: Path) -> None:
    manifest.put(ENTRIES[0])
    folder = tmp_path / "documents"
    for number, text in enumerate(["", "[]", "{}", '{"workspace": "..", "project": "/", "name": "x", "sha256": "y"}']):
        (folder / f"{number}.json").write_text(text, "utf-8")
    assert manifest.entries() == [ENTRIES[0]]


def test_one_that_cannot_be_written_is_named_with_the_remedy(manifest: Manifest, tmp_path: Path) -> None:
    (tmp_path / "documents").write_text("a file where the folder should be")
    with pytest.raises(StorageError, match=r"documents cannot be written.*make room"):
        manifest.put(ENTRIES[0])
