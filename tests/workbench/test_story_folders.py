"""Stories below the folders of `FLETCHER_FOLDERS`, without a browser."""

import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent import working_in
from corpora.samples import SAMPLE
from ingest import FolderRoots
from server import RequestError, Services
from tests.server.house import house
from tests.server_process import PATIENCE_S
from workbench.story.drop import read_back
from workbench.story.folders import StoryFolders
from workbench.story.open_story import OpenStory, digest
from workbench.story.room import OpenStories
from workbench.visit import Visit


def folders_below(folder: Path, most_bytes: int = 2**20) -> StoryFolders:
    limits = SimpleNamespace(message_bytes=most_bytes)
    roots = FolderRoots(folder / "fletcher", {"ada": (folder,)})
    return StoryFolders(cast("Services", SimpleNamespace(limits=limits, roots=roots)), "ada")


def read(folders: StoryFolders, file: Path) -> OpenStory:
    real, data = folders.read(file)
    return OpenStory.read(real.name, data, real)


def refused(files: StoryFolders, file: Path) -> tuple[int, str]:
    with pytest.raises(RequestError) as problem:
        files.read(file)
    return problem.value.status, problem.value.code


def test_what_fletcher_keeps_of_other_workspaces_is_none_of_the_folders(tmp_path: Path) -> None:
    kept, link = tmp_path / "fletcher" / "stories" / "red.arrow", tmp_path / "link.arrow"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(SAMPLE.arrow_file.read_bytes())
    link.symlink_to(kept)
    folders = folders_below(tmp_path)
    assert folders.found() == [link]
    for file in (kept, link):
        assert refused(folders, file) == (403, "FORBIDDEN")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "story.arrow"
    os.mkfifo(pipe)
    assert refused(folders_below(tmp_path), pipe) == (404, "NOT_FOUND")


def test_a_link_that_comes_into_the_way_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, outside = tmp_path / "stories", tmp_path / "other.arrow"
    folder.mkdir()
    outside.write_bytes(SAMPLE.arrow_file.read_bytes())
    file = folder / "story.arrow"
    file.write_bytes(SAMPLE.arrow_file.read_bytes())
    resolve = Path.resolve

    def looked_at(path: Path, *args: Any, **kwargs: Any) -> Path:
        real = resolve(path, *args, **kwargs)
        if path == file:
            file.unlink()
            file.symlink_to(outside)
        return real

    files = folders_below(folder)
    monkeypatch.setattr(Path, "resolve", looked_at)
    assert refused(files, file) == (404, "NOT_FOUND")


@pytest.mark.skipif(not os.supports_dir_fd, reason="this system opens files by their whole path only")
def test_a_folder_that_is_exchanged_for_a_link_meanwhile_does_not_lead_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other, sample = tmp_path / "own", tmp_path / "other", SAMPLE.arrow_file.read_bytes()
    for folder in (own, other):
        folder.mkdir()
        (folder / "story.arrow").write_bytes(sample)
    folders = folders_below(tmp_path)
    story = read(folders, own / "story.arrow")

    def looked_at(data: bytes) -> str:
        if own.is_dir() and not own.is_symlink():
            own.rename(tmp_path / "aside")
            own.symlink_to(other)
        return digest(data)

    monkeypatch.setattr("workbench.story.folders.digest", looked_at)
    folders.write(story.changed(story.text.replace("Jory", "Jora")))
    assert (other / "story.arrow").read_bytes() == sample
    assert b"Jora" in (tmp_path / "aside" / "story.arrow").read_bytes()


def test_what_is_written_back_is_not_read_anew(tmp_path: Path) -> None:
    (tmp_path / "story.arrow").write_bytes(SAMPLE.arrow_file.read_bytes())
    folders = folders_below(tmp_path)
    story = read(folders, tmp_path / "story.arrow")
    changed = story.changed(story.text.replace("Jory", "Jora"))
    written = folders.write(changed)
    assert written.project is changed.project
    assert written.sha256 != changed.sha256 == story.sha256
    assert folders.write(written.changed(story.text)).text == story.text


def test_what_is_too_long_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "story.arrow"
    file.write_bytes(b" " * 11)
    assert refused(folders_below(tmp_path, 10), file) == (413, "PAYLOAD_TOO_LARGE")


def test_what_is_no_story_says_so(tmp_path: Path) -> None:
    file = tmp_path / "story.arrow"
    for data in (b"", b'{"title": 3}', b"\xff\xfe"):
        file.write_bytes(data)
        with pytest.raises(RequestError, match=r"story\.arrow cannot be opened: ") as problem:
            read(folders_below(tmp_path), file)
        assert problem.value.status == 422


@pytest.mark.skipif(os.name == "nt", reason="a link needs rights on Windows")
def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    file, link = tmp_path / "tale.arrow", tmp_path / "link.arrow"
    file.write_bytes(SAMPLE.arrow_file.read_bytes())
    link.symlink_to(file)
    folders = folders_below(tmp_path)
    story = read(folders, link)
    folders.write(story.changed(story.text.replace("Jory", "Jora")))
    assert link.is_symlink()
    assert b"Jora" in file.read_bytes()


def test_what_is_too_deep_is_not_listed(tmp_path: Path) -> None:
    """Python's walk recurses: a thousand folders one in the other would end it."""
    deep = tmp_path.joinpath(*["d"] * (101 - len(tmp_path.parts)))
    deep.mkdir(parents=True)
    for folder in (deep.parent, deep):
        (folder / "story.arrow").write_bytes(SAMPLE.arrow_file.read_bytes())
    assert folders_below(tmp_path).found() == [deep.parent / "story.arrow"]


def test_where_a_link_leads_that_a_browser_names_is_not_said(tmp_path: Path) -> None:
    secret = tmp_path / "secret" / "story.arrow"
    secret.parent.mkdir()
    secret.write_bytes(SAMPLE.arrow_file.read_bytes())
    link = tmp_path / "link.arrow"
    link.symlink_to(secret)
    story = read_back("story.arrow", SAMPLE.arrow_file.read_bytes(), str(link), "")
    with pytest.raises(RequestError) as refused:
        folders_below(tmp_path / "stories").write(story)
    assert (refused.value.status, refused.value.code) == (403, "FORBIDDEN")
    assert "secret" not in str(refused.value)
    with pytest.raises(RequestError) as refused:
        folders_below(tmp_path).write(story)
    assert refused.value.status == 404, "below the folders no link is followed either"
    assert "secret" not in str(refused.value)


async def test_a_drive_that_hangs_is_given_up_and_keeps_nothing_else_of_its_workspace_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()

    def hang(file: Path) -> tuple[Path, bytes]:
        assert answers.wait(PATIENCE_S)
        return file, SAMPLE.arrow_file.read_bytes()

    with house(tmp_path / "data") as home, working_in(home.services.threads_of("local")):
        visit = Visit(home.services, "local", is_owner=True, project="1", room=OpenStories())
        try:
            with monkeypatch.context() as patched:
                patched.setattr("workbench.visit._DRIVE_PATIENCE_S", 0.01)
                for _ in range(20):  # somebody who tries again
                    with pytest.raises(
                        RequestError, match=r"^/mnt/story\.arrow: its drive has not answered"
                    ) as problem:
                        await visit.read_file(hang, Path("/mnt/story.arrow"))
                    assert (problem.value.status, problem.value.code) == (503, "STORAGE_ERROR")
                with pytest.raises(RequestError, match="its drive has not answered"):
                    await visit.ask_drive(answers.wait, "/mnt/story.arrow")
            assert await visit.ask(lambda: "there") == "there"
        finally:
            answers.set()
        assert (await visit.read_file(hang, Path("/mnt/story.arrow"))).name == "story.arrow"
