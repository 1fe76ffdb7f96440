"""`fletcher chat FILE`: what is said about a file at the terminal, over the API of whoever owns the data directory."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from agent.questions.pending import Before
from arrow_project import Operation, fingerprint, parse
from corpora import DataDirectory, ProjectKey
from fletcher.api import Api
from fletcher.commands.chat import chat, undo
from fletcher.conversation import converse
from fletcher.errors import CommandError
from fletcher.settings import load_settings
from fletcher.story_file import StoryFile
from fletcher.turns import FileTurns
from server import Access
from server.services import CatalogPendings
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import story_text
from tests.server.house import House, house

KEY = ProjectKey("local", "1")
GOLD = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
DIALOG, PIER = (Use("delete_node", {"node_id": node_id}) for node_id in (2, 3))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path / "data", access=Access(owner_key="key", requires_key=True)) as opened:
        yield opened


@pytest.fixture
def story(tmp_path: Path) -> StoryFile:
    file = tmp_path / "story.arrow"
    file.write_text(story_text(), "utf-8")
    return StoryFile(file, tmp_path / "kept")


@pytest.fixture
def api(home: House, tmp_path: Path) -> Iterator[Api]:
    settings = load_settings(data_dir=tmp_path / "data")
    with DataDirectory(settings.data_dir).own(home.url, "key"), Api(settings, KEY) as opened:
        yield opened


def nodes(story: StoryFile) -> set[str]:
    return set(json.loads(story.file.read_text("utf-8"))["resources"]["nodes"])


def test_yes_answers_the_question_that_is_open_about_the_file(home: House, api: Api, story: StoryFile) -> None:
    home.model.add([PIER], ["It is gone."])
    turns = FileTurns(api, story, {})
    assert turns.say("Remove the pier.")["question"]["kind"] == "confirmation"
    assert nodes(story) == {"1", "2", "3"}
    turns.say("yes")
    assert nodes(story) == {"1", "2"}
    assert story.open_question(KEY) is None
    story.undo()
    assert story.file.read_text("utf-8") == story_text()


def test_of_two_conversations_each_yes_answers_its_own_question(home: House, api: Api, story: StoryFile) -> None:
    first, second = FileTurns(api, story, {}), FileTurns(api, story, {})
    home.model.add([PIER], [DIALOG], ["It is gone."])
    assert "node 3" in first.say("Remove the pier.")["question"]["text"]
    assert "node 2" in second.say("Remove the dialog.")["question"]["text"]
    first.say("yes")
    assert nodes(story) == {"1", "2"}
    with pytest.raises(CommandError, match="changed"):
        second.say("yes")
    assert nodes(story) == {"1", "2"}


def test_a_question_about_another_story_is_open_no_more(home: House, api: Api, story: StoryFile) -> None:
    home.model.add([PIER])
    turns = FileTurns(api, story, {})
    turns.say("Remove the pier.")
    story.file.write_text(story_text().replace("The pier is empty.", "The pier is full."), "utf-8")
    with pytest.raises(CommandError, match="changed"):
        turns.say("yes")
    assert nodes(story) == {"1", "2", "3"}
    home.model.add(["Here."])
    assert turns.say("Are you there?")["text"] == "Here."


def test_who_agreed_beforehand_is_not_asked(home: House, api: Api, story: StoryFile) -> None:
    home.model.add([PIER], ["It is gone."])
    answer = FileTurns(api, story, {}, agreed=True).say("Remove the pier.")
    assert answer["question"] is None
    assert nodes(story) == {"1", "2"}


def test_a_file_that_cannot_be_written_is_named_and_as_it_was(
    home: House, api: Api, story: StoryFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    home.model.add([GOLD], ["It is there."])
    monkeypatch.setattr("corpora.files.os.fsync", is_full)
    with pytest.raises(CommandError, match=r"story\.arrow cannot be written: No space left on device"):
        FileTurns(api, story, {}).say("Add gold.")
    assert story.file.read_text("utf-8") == story_text()


def test_ctrl_c_stops_the_turn(home: House, api: Api, story: StoryFile) -> None:
    home.model.add(["I will ", Hang()])

    def interrupted(_event: str, _data: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FileTurns(api, story, {}).say("Add gold.", interrupted)
    assert home.model.cancelled.wait(PATIENCE_S)
    assert story.file.read_text("utf-8") == story_text()


@pytest.mark.parametrize(
    ("stops_at", "replies"),
    [
        pytest.param("fletcher.api.Api.ask", [[PIER]], id="one that stood there, and the server has heard no more"),
        pytest.param("fletcher.console.print_turn", [[PIER], [DIALOG]], id="one that has come and was not shown"),
    ],
)
def test_after_ctrl_c_a_yes_answers_no_question(
    home: House,
    api: Api,
    story: StoryFile,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    stops_at: str,
    replies: list[list[Use]],
) -> None:

    def stopped(*_: object, **__: object) -> None:
        patched.undo()
        raise KeyboardInterrupt

    turns = FileTurns(api, story, {})
    home.model.add(*replies, ["What do you mean?"])
    turns.say("Remove the pier.")
    monkeypatch.setattr("sys.stdin", io.StringIO("Remove the dialog.\nyes\n"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stops_at, stopped)
        converse(turns, story.file)
    shown = capsys.readouterr().out
    assert "Stopped; the file is as it was." in shown
    assert "What do you mean?" in shown
    assert nodes(story) == {"1", "2", "3"}
    assert story.open_question(KEY) is None


def test_ctrl_c_that_comes_when_the_turn_is_written_does_not_say_that_nothing_was_done(
    home: House, api: Api, story: StoryFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    home.model.add([GOLD], ["It is there."])
    monkeypatch.setattr("sys.stdin", io.StringIO("Add gold.\n"))
    monkeypatch.setattr(StoryFile, "_forget", stopped)
    converse(FileTurns(api, story, {}), story.file)
    assert "Stopped too late; the file has what was done." in capsys.readouterr().out
    assert "gold" in story.file.read_text("utf-8")
    story.undo()
    assert story.file.read_text("utf-8") == story_text()


def test_ctrl_c_on_one_message_drops_the_question_as_well(
    home: House, api: Api, story: StoryFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.model.add([PIER], ["What do you mean?"])
    with pytest.raises(typer.Exit):
        chat(story.file, "Remove the pier.", data_dir=tmp_path / "data")

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Api, "ask", stopped)
    with pytest.raises(KeyboardInterrupt):
        chat(story.file, "Remove the dialog.", data_dir=tmp_path / "data")
    monkeypatch.undo()
    chat(story.file, "yes", data_dir=tmp_path / "data")
    assert nodes(story) == {"1", "2", "3"}


def test_a_conversation(
    home: House,
    api: Api,
    story: StoryFile,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    home.model.add(["Elena ", "does [1]."], [GOLD], ["Gold is there."], [PIER], ["It is gone."])
    said = "Who keeps it?\nAdd gold.\n\nRemove the pier.\nyes\nundo\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    converse(FileTurns(api, story, {}), story.file)
    shown = capsys.readouterr().out
    assert "Elena does [1]." in shown
    assert "[1] bible.md" in shown
    assert "Shall I do it? (yes or no" in shown
    assert "It is gone." in shown
    assert "taken back" in shown
    assert shown.count("+ node 3 ") == 1, "the answer has told what came back"
    assert nodes(story) == {"1", "2", "3"}
    assert "gold" in story.file.read_text("utf-8")
    assert ("user", ["Who keeps it?"]) in home.model.requests[1].conversation
    story.undo()
    assert story.file.read_text("utf-8") == story_text()


def test_of_many_operations_each_kind_is_shown_once_while_they_run(
    home: House,
    api: Api,
    story: StoryFile,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    silver = Use("create_variable", {"name": "silver", "type": "num", "initial_value": 1})
    home.model.add([GOLD, silver], ["Both are there."])
    monkeypatch.setattr("sys.stdin", io.StringIO("Add gold and silver.\n"))
    converse(FileTurns(api, story, {}), story.file)
    shown = capsys.readouterr().out
    assert shown.count("create_variable") == 1
    assert '"gold"' in shown
    assert '"silver"' in shown


def test_what_fails_does_not_end_the_conversation(
    home: House,
    api: Api,
    story: StoryFile,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home.model.add(["Here."])
    monkeypatch.setattr("sys.stdin", io.StringIO("undo\nwhat \udcff\nAre you there?\nexit\nnever read\n"))
    converse(FileTurns(api, story, {}), story.file)
    shown = capsys.readouterr()
    assert "no turn to take back" in shown.err
    assert "not UTF-8" in shown.err
    assert "Here." in shown.out
    assert len(home.model.requests) == 1


@pytest.mark.parametrize("is_shared", [False, True])
def test_an_undo_of_a_turn_from_elsewhere_is_asked_about_where_it_takes_away_what_is_others(
    home: House, api: Api, story: StoryFile, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, is_shared: bool
) -> None:
    before = parse(story_text().encode())
    after = before.copy()
    after.apply_all([Operation(GOLD.tool, GOLD.arguments)])
    pendings = CatalogPendings(home.catalog, KEY.workspace, KEY.project_id, lambda _: None, by_assistant=False)
    pendings.keep_before(Before(before.to_text(), is_shared), fingerprint(after))
    story.file.write_text(after.to_text(), "utf-8")
    if is_shared:
        with pytest.raises(typer.Exit) as ended:
            undo(story.file, data_dir=tmp_path / "data")
        said = capsys.readouterr().out
        assert ended.value.exit_code == 1
        assert "What would be lost: variable" in said
        assert "Restored" not in said
        assert "gold" in story.file.read_text("utf-8")
        chat(story.file, "yes", data_dir=tmp_path / "data")
    else:
        undo(story.file, data_dir=tmp_path / "data")
        assert "Restored" in capsys.readouterr().out
    assert "gold" not in story.file.read_text("utf-8")


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe"])
def test_a_file_that_is_no_project_is_named(api: Api, story: StoryFile, content: bytes) -> None:
    story.file.write_bytes(content)
    with pytest.raises(CommandError, match=r"story\.arrow is not a project that Arrow would open"):
        FileTurns(api, story, {}).say("Hello.")
