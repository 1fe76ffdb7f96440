"""Scanning files and folders: what is found, what is skipped, what is failed."""

import os
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from corpora import listed
from ingest import Refusal, ScanError, Source, Unread, scan
from ingest.folder import MOST_DEEP, look_into


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = [
        "bible.md",
        "quests/harbour.TXT",
        ".hidden.md",
        ".obsidian/app.md",
        "~$bible.docx",
        "art/elena.png",
        "LICENSE",
    ]
    for file in files:
        path = tmp_path / "design" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {file}")
    return tmp_path / "design"


def test_a_folder_is_scanned_recursively_by_name_and_without_what_is_hidden(folder: Path) -> None:
    found = scan(folder)
    assert len(found) == 4
    assert [entry.name for entry in found] == ["LICENSE", "art/elena.png", "bible.md", "quests/harbour.TXT"]
    assert [entry for entry in found if isinstance(entry, Source)] == [
        Source("bible.md", b"text of bible.md"),
        Source("quests/harbour.TXT", b"text of quests/harbour.TXT"),
    ]
    skipped = [entry for entry in found if isinstance(entry, Refusal)]
    assert [(entry.status, entry.code) for entry in skipped] == [("skipped", "UNKNOWN_FORMAT")] * 2
    assert ".pdf" in skipped[0].message


def test_a_file_that_is_named_is_given_to_its_reader_whatever_it_is(folder: Path) -> None:
    assert list(scan([folder / "LICENSE", folder / ".hidden.md"])) == [
        Source("LICENSE", b"text of LICENSE"),
        Source(".hidden.md", b"text of .hidden.md"),
    ]


def test_a_hidden_folder_that_is_named_is_scanned(folder: Path) -> None:
    assert [entry.name for entry in scan(str(folder / ".obsidian"))] == ["app.md"]


def test_a_path_that_is_not_there_stops_before_anything_counts_as_gone(folder: Path) -> None:
    with pytest.raises(ScanError, match="no such file") as refused:
        scan([folder, folder / "nothing"])
    assert refused.value.code == "FILE_NOT_FOUND"
    with pytest.raises(ScanError, match="no such file"):
        scan(folder / ("a" * 1000))


def test_links_are_followed_inside_the_folder_only(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (folder / "inside.md").symlink_to(folder / "bible.md")
    (folder / "outside.md").symlink_to(tmp_path / "secret.md")
    (folder / "dangling.md").symlink_to(folder / "nothing.md")
    (folder / "loop").symlink_to(folder)
    found = {entry.name: entry for entry in scan(folder)}
    assert found["inside.md"] == Source("inside.md", b"text of bible.md")
    codes = {name: entry.code for name, entry in found.items() if isinstance(entry, Refusal)}
    assert codes["outside.md"] == "OUTSIDE_FOLDER"
    assert codes["dangling.md"] == codes["loop"] == "NOT_A_FILE"
    assert not any(name.startswith("loop/") for name in found)


def test_what_is_hidden_in_the_folder_is_no_document_behind_a_link_either(folder: Path) -> None:
    (folder / ".fletcher").mkdir()
    (folder / ".fletcher" / "owner.json").write_text("the key of all workspaces")
    link = folder / "notes.txt"
    link.symlink_to(folder / ".fletcher" / "owner.json")
    found = {entry.name: entry for entry in scan(folder)}["notes.txt"]
    assert isinstance(found, Refusal)
    assert found.code == "OUTSIDE_FOLDER"
    link.unlink()
    link.write_text("plain")
    scanned = scan(folder)
    link.unlink()
    link.symlink_to(folder / ".fletcher" / "owner.json")
    assert isinstance({entry.name: entry for entry in scanned}["notes.txt"], Refusal)


def test_what_is_no_file_is_never_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")
    (refusal,) = [entry for entry in scan(folder) if entry.name == "pipe.md"]
    assert isinstance(refusal, Refusal)
    assert (refusal.status, refusal.code) == ("skipped", "NOT_A_FILE")
    (named,) = scan(folder / "pipe.md")
    assert isinstance(named, Refusal)
    assert named.status == "failed"


def test_a_file_that_vanishes_meanwhile_is_failed_alone(folder: Path) -> None:
    found = scan(folder)
    (folder / "bible.md").unlink()
    entries = {entry.name: entry for entry in found}
    gone = entries["bible.md"]
    assert isinstance(gone, Refusal)
    assert (gone.status, gone.code) == ("failed", "UNREADABLE")
    assert isinstance(entries["quests/harbour.TXT"], Source)


def test_a_folder_that_cannot_be_listed_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(real: Path) -> AbstractContextManager[object]:
        if real.name == "quests":
            raise PermissionError(13, "Permission denied", str(real))
        return listed(real)

    monkeypatch.setattr("ingest.folder.listed", forbidden)
    (refusal,) = [entry for entry in scan(folder) if entry.name == "quests"]
    assert isinstance(refusal, Refusal)
    assert (refusal.status, refusal.code) == ("failed", "UNREADABLE")
    with pytest.raises(ScanError, match="Permission denied"):
        scan(folder / "quests")


def test_of_a_folder_with_too_many_files_no_more_are_listed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = count()
    entries = (SimpleNamespace(name=f"{next(seen)}.md", is_dir=lambda **_: False) for _ in range(1_000))
    monkeypatch.setattr(os, "scandir", lambda path: nullcontext(entries))
    with pytest.raises(ScanError, match="more than 10 files"):
        look_into(folder, folder.resolve(), most=10)
    assert next(seen) < 20


def test_a_document_is_known_by_its_content_whatever_its_suffix(tmp_path: Path) -> None:
    (tmp_path / "old.doc").write_bytes(rb"{\rtf1 Words}")
    (tmp_path / "draft").write_bytes(b"%PDF-1.7 and so on")
    (tmp_path / "older.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    assert {entry.name: type(entry) for entry in scan(tmp_path)} == {
        "draft": Source,
        "old.doc": Source,
        "older.doc": Refusal,
    }


def test_an_export_of_notes_keeps_its_names(tmp_path: Path) -> None:
    names = ["Cast 0123456789abcdef0123456789abcdef/Elena fedcba9876543210fedcba9876543210.md", "Cast.csv"]
    for name in (*names, ".obsidian/workspace.json", ".trash/Old.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# Elena\n\nShe keeps the light.")
    assert [entry.name for entry in scan(tmp_path)] == names


def not_utf8(folder: Path, name: bytes, text: str) -> None:
    """Writes a file whose name is no UTF-8, where the system has such."""
    path = os.path.join(os.fsencode(folder), name)  # noqa: PTH118  (of bytes)
    try:
        with open(path, "w") as file:  # noqa: PTH123
            file.write(text)
    except OSError:
        pytest.skip("this system has no such file names")


def test_a_name_that_is_no_text_fails_alone_and_can_be_printed(folder: Path) -> None:
    not_utf8(folder, b"caf\xe9.md", "text")
    not_utf8(folder, b"caf\xe9.png", "text")
    (folder / "a\x1b[31m\u202e.md").write_text("text")
    found = {entry.name: entry for entry in scan(folder)}
    assert isinstance(found["bible.md"], Source)
    codes = {name: (entry.status, entry.code) for name, entry in found.items() if isinstance(entry, Refusal)}
    assert codes[r"caf\xe9.md"] == codes[r"a\x1b[31m\u202e.md"] == ("failed", "INVALID_NAME")
    assert codes[r"caf\xe9.png"] == ("skipped", "UNKNOWN_FORMAT")
    said = [entry.name + entry.message for entry in found.values() if isinstance(entry, Refusal)]
    assert all(each.isprintable() for each in said)
    (named,) = scan(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md"))
    assert (named.name, isinstance(named, Refusal)) == (r"caf\xe9.md", True)


def test_of_a_folder_that_somebody_else_names_so_many_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.folder.MOST_ENTRIES", 2)
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("Elena keeps the lighthouse.")
    with pytest.raises(ScanError, match="Name the folder in it") as refused:
        scan(tmp_path, tmp_path.resolve())
    assert refused.value.code == "FOLDER_TOO_LARGE"
    assert len(scan(tmp_path)) == 2


def test_of_a_folder_that_somebody_else_names_paths_have_so_many_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path.resolve()
    file = folder / "d" / "a.md"
    file.parent.mkdir()
    file.write_text("Elena keeps the lighthouse.")
    monkeypatch.setattr("ingest.folder.MOST_CHARACTERS", len(str(file)) + len(str(file.parent)))
    assert len(scan(folder, folder)) == 1
    file.rename(file.with_name("longer.md"))
    with pytest.raises(ScanError, match="Name the folder in it") as refused:
        scan(folder, folder)
    assert refused.value.code == "FOLDER_TOO_LARGE"
    assert len(scan(folder)) == 1


def test_a_folder_that_is_too_deep_is_skipped_and_what_is_above_it_is_read(tmp_path: Path) -> None:
    """Python's walk recurses, and each path that is kept is as long as it is deep."""
    folder = tmp_path
    while len(folder.parts) <= MOST_DEEP:
        (folder / "a.md").write_text("Elena keeps the lighthouse.")
        folder /= "d"
        folder.mkdir()
    (folder / "below.md").write_text("Nobody reads this.")
    look = look_into(tmp_path, tmp_path)
    for found in (list(scan(tmp_path)), list(look.scan(look.stamps))):
        read = [entry.name for entry in found if isinstance(entry, Source)]
        assert len(read) == MOST_DEEP - len(tmp_path.parts) + 1
        (refused,) = [entry for entry in found if isinstance(entry, Refusal)]
        assert (refused.name, refused.status, refused.code) == (
            folder.relative_to(tmp_path).as_posix(),
            "skipped",
            "TOO_DEEP",
        )
        assert "more than 100 folders" in refused.message


@pytest.mark.parametrize(("size", "is_read"), [(60_000, True), (1_000_000, False)])
def test_what_has_grown_since_it_was_looked_at_takes_no_more_memory_than_it_has_room_for(
    tmp_path: Path, size: int, *, is_read: bool
) -> None:
    (tmp_path / "a.txt").write_text("Elena.")
    (unread,) = scan(tmp_path).unread
    assert isinstance(unread, Unread)
    (tmp_path / "a.txt").write_bytes(b"x" * size)
    read = unread.read()
    assert isinstance(read, Source) is is_read
    assert is_read or (isinstance(read, Refusal) and read.code == "CHANGING")
