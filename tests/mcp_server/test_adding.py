"""Documents are added with notices of how far it is, and no further once the client cancels."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from agent import ConfirmationPolicy
from ingest.plain_file import open_plain_file
from tests.mcp_server.assistant import ERAS, Era, User, assistant, text_of
from tests.server.house import House, house

_THERE = "DOCUMENT_IS_THERE"

_IN_EITHER_ERA = pytest.mark.parametrize("era", ERAS)  # where it matters: who is asked, told or hangs up


@pytest.fixture
def notes(folder: Path) -> Path:
    path = folder / "notes"
    path.mkdir()
    for number in range(6):
        (path / f"{number}.md").write_text(f"Note {number} on the tide.", "utf-8")
    return path


@_IN_EITHER_ERA
async def test_progress_grows_to_the_end(home: House, notes: Path, era: Era) -> None:
    told: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert message
        told.append((progress, total))

    async with assistant(home.url, era) as scribe:
        answer = await scribe.call("add_documents", progress=hear, paths=["notes"])

    assert [entry["status"] for entry in answer.structured_content["documents"]] == ["searchable"] * 6
    assert [progress for progress, _ in told] == sorted({progress for progress, _ in told})
    assert told
    assert {total for _, total in told} == {6.0}


async def test_a_file_that_is_named_is_read_wherever_it_is(home: House, folder: Path) -> None:
    (folder / ".lore").mkdir()
    (folder / ".lore" / "tides.md").write_text("The tide is late.", "utf-8")
    async with assistant(home.url) as scribe:
        answer = await scribe.call("add_documents", paths=[".lore/tides.md"])
    assert [entry["status"] for entry in answer.structured_content["documents"]] == ["searchable"]


async def test_of_very_many_files_those_that_matter_are_told_and_all_are_counted(home: House, notes: Path) -> None:
    for number in range(300):
        (notes / f"{number}.unknown").touch()
    (notes / "z.md").touch()
    async with assistant(home.url) as scribe:
        answer = await scribe.call("add_documents", paths=["notes"])

    fields = answer.structured_content
    assert [entry["status"] for entry in fields["documents"]] == ["failed", *["searchable"] * 6, *["skipped"] * 193]
    assert fields["counts"] == {"skipped": 300, "searchable": 6, "failed": 1}
    assert "300 skipped" in text_of(answer).splitlines()[-1]


async def test_files_are_read_where_nobody_waits_for_them(
    home: House, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    def opening(path: Path, *how: Any) -> Any:
        threads.append(threading.current_thread().name)
        return open_plain_file(path, *how)

    monkeypatch.setattr("ingest.folder.open_plain_file", opening)
    async with assistant(home.url) as scribe:
        await scribe.ok("add_documents", paths=["notes"])
    assert len(threads) == 6
    assert {name.rpartition("_")[0] for name in threads} == {"intake"}


@_IN_EITHER_ERA
async def test_cancelled_it_reads_nothing_more(home: House, notes: Path, era: Era) -> None:
    home.readers.may_go_on.clear()
    async with assistant(home.url, era) as scribe:
        adding = asyncio.create_task(scribe.call("add_documents", paths=["notes"]))
        await asyncio.to_thread(home.readers.reading.wait)
        adding.cancel()
        await asyncio.gather(adding, return_exceptions=True)
        await scribe.ok("list_editors")  # the cancellation came before
        home.readers.may_go_on.set()
        # Whoever comes next waits until nothing of the one before is under way.
        await scribe.ok("add_documents", paths=["story.arrow"])
        names = {one["name"] for one in (await scribe.ok("list_documents"))["documents"]}

    assert len(names & {f"{number}.md" for number in range(6)}) <= 1


@_IN_EITHER_ERA
@pytest.mark.parametrize("says", ["yes", "no", None], ids=str)
async def test_another_version_takes_a_documents_place_only_once_the_user_has_agreed(
    home: House, notes: Path, era: Era, says: str | None
) -> None:
    user = User([says])
    async with assistant(home.url, era, user) as scribe:
        await scribe.ok("add_documents", paths=["notes"])
        assert not user.shown
        (notes / "0.md").write_text("Nothing.", "utf-8")
        (notes / "6.md").write_text("Note 6 on the tide.", "utf-8")
        report = await scribe.ok("add_documents", paths=["notes"])
        (read,) = (await scribe.ok("read_document", document="0.md"))["pages"]
    (question,) = user.shown
    assert "0.md" in question
    assert "1.md" not in question
    is_replaced = says == "yes"
    codes = {one["name"]: (one["error"] or {}).get("code") for one in report["documents"]}
    assert codes == {f"{number}.md": None for number in range(7)} | ({} if is_replaced else {"0.md": _THERE})
    assert read["text"] == ("Nothing." if is_replaced else "Note 0 on the tide.")


@pytest.mark.parametrize("confirm", ["destructive", "always", "never"])
async def test_an_assistant_that_asks_nobody_brings_the_users_word_unless_that_is_not_enough(
    tmp_path: Path, folder: Path, confirm: ConfirmationPolicy
) -> None:
    (folder / "notes.md").write_text("The tide is late.", "utf-8")
    with house(tmp_path / "data", roots={"local": (folder,)}, confirm=confirm) as home:
        home.put("people.md", "Elena keeps the lighthouse.")
        async with assistant(home.url) as scribe:
            await scribe.ok("add_documents", paths=["notes.md"])
            (folder / "notes.md").write_text("Nothing.", "utf-8")
            first = await scribe.ok("add_documents", paths=["notes.md"])
            asked = first.get("how", "").rpartition(" ")[2].rstrip(".")
            second = await scribe.ok("add_documents", paths=["notes.md"], replace=asked or "x")
    assert [bool(one["documents"][0]["error"]) for one in (first, second)] == {
        "destructive": [True, False],
        "always": [True, True],
        "never": [False, False],
    }[confirm]
    assert ("how" in first) == (confirm != "never")


@_IN_EITHER_ERA
async def test_a_yes_replaces_what_was_asked_about_and_nothing_else(home: House, notes: Path, era: Era) -> None:
    class Slow(User):
        async def answer(self, context: Any, params: Any) -> Any:
            (notes / "1.md").write_text("Not asked about.", "utf-8")
            home.put("2.md", "Written on the page meanwhile.")
            return await super().answer(context, params)

    user = Slow(["yes", "no"])
    async with assistant(home.url, era, user) as scribe:
        await scribe.ok("add_documents", paths=["notes"])
        (notes / "0.md").write_text("Nothing.", "utf-8")
        await scribe.ok("add_documents", paths=["notes"])
        texts = [
            (await scribe.ok("read_document", document=f"{number}.md"))["pages"][0]["text"] for number in range(1, 3)
        ]
    assert "1.md" not in user.shown[0]
    assert texts == ["Note 1 on the tide.", "Written on the page meanwhile."]
