"""Wrong usage ends with 2, and before anything is done."""

import os
from importlib.metadata import version
from pathlib import Path
from typing import TextIO

import pytest

from corpora.samples import SAMPLE
from fletcher.__main__ import main
from fletcher.settings import Settings


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"FLETCHER_{name.upper()}", raising=False)
    monkeypatch.setenv("FLETCHER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert isinstance(end.value.code, int)
    return end.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("CHROMA_URL", "nonsense", "FLETCHER_CHROMA_URL: it must have the form"),
        ("CONFIRM", "sometimes", "FLETCHER_CONFIRM"),
        ("READERS", "pptx=PptxReader", "FLETCHER_READERS: 'pptx=PptxReader' is not of the form .xyz=package.module:"),
        ("READERS", ".PDF=a:B", "FLETCHER_READERS: '.PDF=a:B': .pdf is read by Fletcher itself"),
        ("READERS", ".x=a:B,.x=a:C", "FLETCHER_READERS: .x has two readers"),
        ("TOKEN", "abc", "FLETCHER_TOKENS to the file that the server has"),
    ],
)
def test_a_setting_that_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"FLETCHER_{name}", value)
    code, err = ended(capsys, "search", "x", "--project", "1")
    assert code == 2
    assert said in err
    assert not Path("data").exists()


def test_a_model_that_is_not_there_is_said_before_documents_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "bible.md").write_text("Elena keeps the lighthouse.", "utf-8")
    monkeypatch.setenv("FLETCHER_EMBEDDING_MODEL", str(tmp_path / "nope"))
    code, err = ended(capsys, "ingest", "bible.md", "--project", "1")
    assert code == 1
    assert "there is no such folder" in err
    assert "WARNING" not in err
    code, err = ended(capsys, "documents", "--project", "1")
    assert "no project" in err, "nothing was read"


@pytest.mark.parametrize("command", [("ingest", "bible.md", "--project", "1"), ("serve", "--port", "0")])
def test_a_reader_that_is_not_there_is_said_before_documents_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "bible.md").write_text("Elena keeps the lighthouse.", "utf-8")
    monkeypatch.setenv("FLETCHER_READERS", ".doc=llama_index.readers.nowhere_at_all:DocReader")
    code, err = ended(capsys, *command)
    assert code == 1
    assert "pip install llama-index-readers-nowhere-at-all" in err.replace("\n", " ")
    code, err = ended(capsys, "documents", "--project", "1")
    assert "no project" in err, "nothing was read"


@pytest.mark.parametrize(
    "command",
    [
        ("search", "lantern\udcff", "--project", "1"),
        ("search", "x", "--document", "lantern\udcff", "--project", "1"),
        ("remove", "lantern\udcff", "--project", "1"),
        ("chat", "story.arrow", "-m", "lantern\udcff"),
        ("chat", "story.arrow", "-m", "yes", "--pending", "lantern\udcff"),
    ],
)
def test_what_is_typed_is_utf_8(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    Path("story.arrow").write_bytes(SAMPLE.arrow_file.read_bytes())
    code, err = ended(capsys, *command)
    assert code == 2
    assert "is not UTF-8" in " ".join(err.replace("│", " ").split())
    assert not Path("data").exists()


def test_what_an_evaluation_needs_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, err = ended(capsys, "evaluate", str(tmp_path))
    assert code == 1
    assert "questions.jsonl cannot be read, as it is not there" in err
    assert "documents/" in err
    assert "Errno" not in err
    line = '{"id": "1", "document": "a.md", "question": "Who?", "gold": [[0, 4]]}'
    (tmp_path / "questions.jsonl").write_text(line, "utf-8")
    code, err = ended(capsys, "evaluate", str(tmp_path))
    assert code == 1
    assert "has no folder documents/" in err


@pytest.mark.parametrize(
    "command", [("chat", ".", "-m", "hi"), ("outline", "."), ("check", "."), ("mcp", "--file", ".")]
)
def test_a_folder_in_the_place_of_a_story(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    code, err = ended(capsys, *command)
    assert code == 1
    assert ". cannot be read: it is a folder. Name an .arrow file." in err


STORY_COMMANDS = [
    ("chat", "story.arrow", "-m", "hi"),
    ("undo", "story.arrow"),
    ("outline", "story.arrow"),
    ("check", "story.arrow"),
    ("mcp", "--file", "story.arrow"),
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("command", STORY_COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_never_ends_in_the_place_of_a_story(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str, command: tuple[str, ...]
) -> None:
    story = tmp_path / "story.arrow"
    os.mkfifo(story) if kind == "pipe" else story.symlink_to(os.devnull)
    code, err = ended(capsys, *command)
    assert code == 1
    assert "story.arrow cannot be read: it is no plain file. Name an .arrow file." in err.replace("\n", " ")


@pytest.mark.parametrize("command", STORY_COMMANDS, ids=lambda command: command[0])
def test_a_file_that_is_too_long_for_a_story(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr("fletcher.story_file._MOST_BYTES", 1000)
    (tmp_path / "story.arrow").write_bytes(b" " * 1001)
    code, err = ended(capsys, *command)
    assert code == 1
    assert "story.arrow has more than the 1,000 bytes of a story." in err.replace("\n", " ")


def test_a_message_that_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code, err = ended(capsys, "chat", "story.arrow", "-m", " ")
    assert code == 2
    assert "-m says nothing" in err


def test_a_query_that_no_address_has_room_for(capsys: pytest.CaptureFixture[str]) -> None:
    code, err = ended(capsys, "search", "lamp " * 20_000, "--project", "1")
    assert code == 1
    assert "Say it in fewer words" in err.replace("\n", " ")


def test_a_command_that_is_mistyped_is_told_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    code, err = ended(capsys, "serach", "carters")
    assert code == 2
    assert "Did you mean 'search'?" in err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert not end.value.code
    assert capsys.readouterr().out == f"fletcher {version('fletcher-arrow')}\n"


def test_one_document_that_failed_is_a_failure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "bible.md").write_text("Elena keeps the lighthouse.", "utf-8")
    (folder / "broken.pdf").write_bytes(b"MZ\x90\0 this is a program")
    with pytest.raises(SystemExit) as end:
        main(["ingest", "documents", "--project", "1"])
    assert end.value.code == 1
    assert "1 indexed, 1 failed" in capsys.readouterr().out


def test_a_setting_that_is_none_is_named_at_the_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLETCHER_TOKNE", "secret")
    _, err = ended(capsys, "documents", "--project", "1")
    assert "FLETCHER_TOKNE (did you mean FLETCHER_TOKEN?)" in err
    assert "secret" not in err


@pytest.mark.parametrize(
    ("command", "said"),
    [("evaluate", "fletcher-arrow[bench]"), ("search", "[default: the one that FLETCHER_TOKEN opens, else local]")],
)
def test_help_shows_what_is_in_brackets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, said: str
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert said in capsys.readouterr().out


def test_the_tasks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["evaluate-agent", "--list"])
    assert not end.value.code
    assert "add-content\n" in capsys.readouterr().out
    assert ended(capsys, "evaluate-agent")[0] == 2


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_an_output_that_takes_nothing_is_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], full: TextIO, json: list[str]
) -> None:
    monkeypatch.setattr("sys.stdout", full)
    code, err = ended(capfd, "outline", str(SAMPLE.arrow_file), *json)
    assert code == 1
    assert err == (
        "Error: What this command says cannot be written: No space left on device. What it has done stays done.\n"
    )


@pytest.mark.parametrize("named", [".", "data", "link"])
def test_what_fletcher_keeps_is_not_ingested(capsys: pytest.CaptureFixture[str], tmp_path: Path, named: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "kept.md").write_text("Another workspace's.", "utf-8")
    (tmp_path / "link").symlink_to("data")
    code, err = ended(capsys, "ingest", named, "--project", "1")
    assert (code, "Fletcher's own files" in " ".join(err.split())) == (1, True)
