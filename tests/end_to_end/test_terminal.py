"""Each command in a terminal of 80 columns, some of 120: no line is longer, no word broken, no library has its say."""

import functools
import os
import re
import shutil
import signal
import struct
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from corpora.samples import SAMPLE
from fletcher.__main__ import _COMMANDS  # pyright: ignore[reportPrivateUsage]
from tests.end_to_end.conftest import fletcher
from tests.forked import finished, started
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, running_server

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind"),
]

COLUMNS = 80
WIDE = 120
_CONTROL = re.compile(r"\x1b\][^\x07]*\x07|\x1b\[[0-9;?]*[A-Za-z]")
_ASKED = re.compile(r"(?:^|\n)> $")  # what is said may have an arrow at the end of a chunk
_FRAME = re.compile(r"[\s│╭╮╰╯─━╸╺┃┏┓┗┛┳┻┡┩┼╇├┤┴┬⠀-⣿]+")
_OF_LIBRARIES = (
    "Warning",
    "warnings.warn",
    "Traceback",
    "https://",
    "pip install",
    "telemetry",
    "deprecated",
)
_OF_A_SPINNER = {"Searching", "..."}
_IN_PROJECT = ("--project", "1", "--data-dir", "data")

# What is run of each command; `mcp` talks to a program, so of it there is the help only.
CALLS: dict[str, Sequence[Sequence[str]]] = {
    "serve": [["serve", "--port", "0", "--data-dir", "served"]],
    "ingest": [["ingest", "design", *_IN_PROJECT], ["ingest", "nowhere", *_IN_PROJECT]],
    "link": [["link", *_IN_PROJECT]],
    "documents": [["documents", *_IN_PROJECT]],
    "remove": [["remove", "a document that is not there.md", *_IN_PROJECT]],
    "search": [["search", SAMPLE.question, *_IN_PROJECT], ["search", "ferry", "--project", "9", "--data-dir", "data"]],
    "chat": [
        ["chat", "story.arrow", "-m", SAMPLE.question, "--data-dir", "data"],
        ["chat", "story.arrow", "-m", "delete node 12", "--data-dir", "data"],
        ["chat", "story.arrow", "-m", "create a variable lanterns = 3", "--dry-run", "--data-dir", "data"],
    ],
    "undo": [["undo", "story.arrow", "--data-dir", "data"]],
    "outline": [["outline", "story.arrow"]],
    "check": [["check", "story.arrow"], ["check", "broken.arrow"]],
    "reindex": [["reindex", "--data-dir", "reindexed"]],
    "evaluate": [["evaluate", "design"]],
    "evaluate-agent": [["evaluate-agent", "--list"]],
    "demo": [["demo", "--data-dir", "demo"]],
    "arrow": [["arrow", "install", "design"]],
}


# All in one process: most of what `--help` takes is to start one.
_HELP = f"""
from fletcher.__main__ import main
for command in {[[name] for name in _COMMANDS] + [["arrow", name] for name in ("install", "uninstall", "run")]!r}:
    try:
        main([*command, "--help"])
    except SystemExit as end:
        assert not end.code, command
"""


@pytest.fixture(scope="module")
def here(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with documents and a story, and a server."""
    here = tmp_path_factory.mktemp("terminal")
    design = here / "design"
    design.mkdir()
    winter = "All winter the lamp burned. " * 20
    for number, text in enumerate(("Elena keeps the lighthouse.", "The ferry is called Bittern.")):
        name = f"chapter {number} of a book whose files have names that are longer than a terminal is wide.md"
        chapter = f"# The chapter of the keeper and of all who came before her\n\n{text} {winter}"
        (design / name).write_text(chapter, "utf-8")
    (design / "broken.pdf").write_bytes(b"MZ\x90\0 this is a program")
    (design / "data.bin").write_bytes(b"\0\1")
    (here / "story.arrow").write_bytes(SAMPLE.arrow_file.read_bytes())
    (here / "broken.arrow").write_text("{", "utf-8")
    shutil.copytree(ingested, here / "demo" / "data")
    with running_server(here / "data", FLETCHER_MODEL="local"):
        fletcher("ingest", "design", "--project", "1", data_dir=here / "data", cwd=here)
        yield here


@functools.cache
def in_terminal(here: Path, *arguments: str, columns: int = COLUMNS) -> str:
    """All that the command writes to a terminal, the commands to the terminal left out."""
    return _in_terminal(here, "-m", "fletcher", *arguments, columns=columns)


def _in_terminal(here: Path, *arguments: str, columns: int = COLUMNS, said: Iterable[str] = ()) -> str:
    """What is `said` is typed, a line whenever it asks for one."""
    import fcntl
    import pty
    import termios

    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in CLEAN_ENVIRONMENT.items() if name not in ("COLUMNS", "NO_COLOR")}
    environment |= {"TERM": "xterm-256color", "FLETCHER_MODEL": "local"}
    with started([sys.executable, *arguments], here, environment, its, its, its) as process:
        deadline = threading.Timer(PATIENCE_S, process.kill)
        deadline.start()
        os.close(its)
        written, answered, lines = b"", 0, iter(said)
        while chunk := _read(ours):
            written += chunk  # a prompt may come in two of them
            if _ASKED.search(_CONTROL.sub("", written[answered:].decode(errors="ignore"))) and (
                line := next(lines, None)
            ):
                answered = len(written)
                os.write(ours, f"{line}\n".encode())
            if b"Access:" in written:  # the last that a server says
                process.send_signal(signal.SIGTERM)
        deadline.cancel()
    os.close(ours)
    return _CONTROL.sub("", written.decode())


def _width(shown: str) -> int:
    return max(cell_len(line.rstrip()) for line in re.split(r"\r*\n|\r", shown))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the command has ended
        return b""


def in_file(here: Path, arguments: Sequence[str]) -> str:
    """The same command, whose lines nobody breaks."""
    environment = CLEAN_ENVIRONMENT | {"FLETCHER_MODEL": "local", "COLUMNS": "10000"}
    done = finished([sys.executable, "-m", "fletcher", *arguments], here, environment)
    return done.stdout + done.stderr


def assert_readable(shown: str) -> None:
    assert shown.strip()
    assert _width(shown) <= COLUMNS, shown
    assert not [word for word in _OF_LIBRARIES if word in shown], shown


@pytest.mark.parametrize("command", CALLS)
def test_what_it_says(here: Path, command: str) -> None:
    for arguments in CALLS[command]:
        assert_readable(in_terminal(here, *arguments))


def test_what_it_says_of_itself(tmp_path: Path) -> None:
    shown = _in_terminal(tmp_path, "-c", _HELP)
    assert_readable(shown)
    assert shown.count("Usage:") == len(_COMMANDS) + 3
    assert "<bool>" not in shown, "a flag takes no value"


def test_no_command_is_left_out() -> None:
    assert CALLS.keys() == _COMMANDS.keys() - {"mcp"}


@pytest.mark.parametrize("command", ["search", "link", "remove", "outline", "check", "evaluate", "arrow"])
def test_no_word_is_broken(here: Path, command: str) -> None:
    for arguments in CALLS[command]:
        whole = set(_FRAME.split(in_file(here, arguments)))
        assert whole, arguments
        assert "\x1b" not in "".join(whole)
        broken = set(_FRAME.split(in_terminal(here, *arguments))) - whole - _OF_A_SPINNER
        assert not broken, (arguments, broken)


@pytest.mark.parametrize("arguments", [CALLS["search"][0], ["search", "--help"]])
def test_a_wider_terminal_is_used(here: Path, arguments: Sequence[str]) -> None:
    narrow, wide = in_terminal(here, *arguments), in_terminal(here, *arguments, columns=WIDE)
    assert COLUMNS < _width(wide) <= WIDE, wide
    assert set(_FRAME.split(wide)) - _OF_A_SPINNER == set(_FRAME.split(narrow)) - _OF_A_SPINNER


def test_a_conversation(here: Path) -> None:
    """As it is typed: what is streamed, asked, done and taken back breaks no word at either width."""
    story = here / "conversed.arrow"
    said = [SAMPLE.question, "delete node 12", "yes", "undo", "delete node 12", "no", "exit"]
    shown: dict[int, str] = {}
    for columns in (COLUMNS, WIDE):
        story.write_bytes(SAMPLE.arrow_file.read_bytes())
        command = ("-m", "fletcher", "chat", story.name, "--data-dir", "data")
        shown[columns] = _in_terminal(here, *command, columns=columns, said=said)
        assert _width(shown[columns]) <= columns, shown[columns]
        assert not [word for word in _OF_LIBRARIES if word in shown[columns]], shown[columns]
        assert story.read_bytes() == SAMPLE.arrow_file.read_bytes()
    steps = ("Ctrl-D ends", "Shall I do it?", "Done: delete node", "taken back", "Nothing was changed")
    places = [" ".join(shown[WIDE].split()).find(step) for step in steps]
    assert -1 not in places, shown[WIDE]
    assert places == sorted(places), shown[WIDE]
    assert set(shown[COLUMNS].split()) == set(shown[WIDE].split())
