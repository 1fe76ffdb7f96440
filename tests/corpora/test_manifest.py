"""The manifest: what an original was, kept beside the originals."""

import errno
from datetime import UTC, datetime
from pathlib import Path

import pytest

from corpora import CatalogError, Manifest, ManifestEntry, ProjectKey, StorageError

HERE, THERE = ProjectKey("local", "1"), ProjectKey("elsewhere", "1")
ENTRIES = [
    ManifestEntry(THERE, "bible.md", "a" * 64),
    ManifestEntry(HERE, "bible.md", "b" * 64),
    ManifestEntry(HERE, "quests/ärger.txt", "a" * 64),
]
LONG_AGO, NOT_YET = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def all_kept(_: str) -> bool:
    """Whatever it is."""
    return True


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


def test_one_that_cannot_be_read_is_written_anew(manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(_: Path) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    manifest.put(ENTRIES[0])
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", damaged)
        manifest.put(ENTRIES[0])
    assert manifest.entries() == [ENTRIES[0]]


def test_what_is_removed_is_gone_in_its_project_only(manifest: Manifest) -> None:
    for entry in ENTRIES:
        manifest.put(entry)
    for name in ("bible.md", "never there"):
        with manifest.removing(HERE, name):
            assert manifest.entries() == [ENTRIES[0], ENTRIES[2]]
    assert manifest.entries() == [ENTRIES[0], ENTRIES[2]]


def test_what_could_not_be_removed_is_there_again_without_being_written(
    manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    manifest.put(ENTRIES[1])
    monkeypatch.setattr("corpora.manifest.write_whole", full)
    with pytest.raises(CatalogError), manifest.removing(HERE, "bible.md"):
        raise CatalogError("The disk is full.")
    assert manifest.entries() == [ENTRIES[1]]


@pytest.mark.parametrize("known", [[ENTRIES[1]], []])
def test_what_a_killed_server_was_removing_is_there_as_long_as_its_document(
    manifest: Manifest, tmp_path: Path, known: list[ManifestEntry]
) -> None:
    manifest.put(ENTRIES[1])
    (entry,) = (tmp_path / "documents").iterdir()
    with manifest.removing(HERE, "bible.md"):
        (aside,) = (tmp_path / "documents").iterdir()
        data = aside.read_bytes()
    aside.write_bytes(data)  # as a kill leaves it
    manifest.settle([(entry, LONG_AGO) for entry in known], all_kept)
    assert manifest.entries() == known
    assert list((tmp_path / "documents").iterdir()) == ([entry] if known else [])


def test_a_document_that_a_killed_server_had_stored_gets_its_entry(manifest: Manifest) -> None:
    manifest.put(ENTRIES[0])
    manifest.put(newer := ManifestEntry(HERE, "bible.md", "e" * 64))
    manifest.settle([(entry, LONG_AGO) for entry in ENTRIES], all_kept)
    assert manifest.entries() == [ENTRIES[0], newer, ENTRIES[2]], "whose catalog was put back keeps the newer originals"


def test_one_that_it_had_updated_gets_its_new_entry_unless_its_original_is_gone(manifest: Manifest) -> None:
    for entry in ENTRIES:
        manifest.put(entry)
    known = [
        (ManifestEntry(entry.key, entry.name, number * 64), NOT_YET)
        for number, entry in zip("345", ENTRIES, strict=True)
    ]
    manifest.settle(known, lambda sha256: sha256 != "4" * 64)
    assert manifest.entries() == [known[0][0], ENTRIES[1], known[2][0]]


def test_an_entry_that_a_copy_made_newer_stays_only_if_its_original_is_there(manifest: Manifest) -> None:
    for entry in ENTRIES:
        manifest.put(entry)
    known = [ManifestEntry(entry.key, entry.name, number * 64) for number, entry in zip("345", ENTRIES, strict=True)]
    manifest.settle([(entry, LONG_AGO) for entry in known], ({"3" * 64, "4" * 64, "b" * 64}).__contains__)
    assert manifest.entries() == [known[0], ENTRIES[1], ENTRIES[2]], "of the last one neither is kept"


def test_entries_of_other_documents_are_told_however_many_are_known(manifest: Manifest) -> None:
    for entry in ENTRIES:
        manifest.put(entry)
    other = ManifestEntry(HERE, "new.md", "c" * 64)
    assert manifest.beyond([other, *ENTRIES[1:]]) == ENTRIES[:1]
    assert not manifest.beyond([other, *ENTRIES])


def test_what_came_back_is_awaited_no_longer(manifest: Manifest) -> None:
    manifest.await_documents(ENTRIES)
    manifest.put(ENTRIES[1])
    assert manifest.awaited == {"a" * 64}
    manifest.put(ENTRIES[0])
    assert manifest.awaited == {"a" * 64}, "another document has the same original"
    manifest.put(ENTRIES[2])
    assert not manifest.awaited


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
    (folder / "unreadable.json").mkdir()
    assert manifest.entries() == manifest.beyond([]) == [ENTRIES[0]]


def test_one_that_cannot_be_written_is_named_with_the_remedy(manifest: Manifest, tmp_path: Path) -> None:
    (tmp_path / "documents").write_text("a file where the folder should be")
    with pytest.raises(StorageError, match=r"documents cannot be written.*make room"):
        manifest.put(ENTRIES[0])
