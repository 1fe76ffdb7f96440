"""What commands print: no name, passage or answer has the terminal do anything."""

import io
import json
from typing import Any

import pytest

from corpora import Passage
from fletcher import console
from ingest import DocumentReport, IngestReport, Problem
from ingest import Progress as IngestProgress
from retrieval import RankedPassage, SearchAnswer

EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202efdp.[bold red]md[/]"
_OBEYED = ("\x1b", "\x9b", "\x07", "\u202e")


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What both consoles write, without colours of ours."""
    stream = io.StringIO()
    for name in ("out", "err"):
        monkeypatch.setattr(console, name, console.Terminal(file=stream, highlight=False, width=200))
    return stream


def report(status: Any = "failed") -> DocumentReport:
    return DocumentReport(EVIL, status, error=Problem("UNREADABLE", f"{EVIL}: it is broken."))


def _report() -> None:
    console.print_report(IngestReport("1", (report(), report("indexed")), 0.1))


def _skipped() -> None:
    console.print_documents([DocumentReport(EVIL, "skipped", error=Problem("UNKNOWN_FORMAT", EVIL))])


def _changes() -> None:
    console.print_changes(IngestReport("1", (report(),), 0.1))


def _found() -> None:
    passage = Passage("p", "d", EVIL, 1, 1, (EVIL,), 0, 9, f"light\xadhouse {EVIL}")
    console.print_found(SearchAnswer(EVIL, (RankedPassage(passage, 0.5, (EVIL,)),), {EVIL: (1,)}))


def _turn() -> None:
    console.print_turn({
        "text": EVIL, "changed": True, "diff": EVIL, "question": None,
        "citations": [{"number": 1, "document": EVIL, "page_from": 1, "page_to": 1}],
        "operations": [{"function": "f", "success": False, "error": {"message": EVIL * 2}, "result": None}],
        "suggestions": [{"label": EVIL, "function": "f", "params": {"name": EVIL}}],
    })  # fmt: skip


def _progress() -> None:
    with console.ingest_progress() as listen:
        listen(IngestProgress(EVIL, "reading", 0, 1))


def _error() -> None:
    console.err.print(f"Error: {EVIL}", markup=False, soft_wrap=True)


@pytest.mark.parametrize("printed", [_report, _skipped, _changes, _found, _turn, _progress, _error])
def test_nothing_that_is_printed_commands_the_terminal(shown: io.StringIO, printed: Any) -> None:
    printed()
    text = shown.getvalue()
    assert r"\x1b[31m\x9b2J\u202efdp.[bold red]md[/]" in text
    assert not [sign for sign in _OBEYED if sign in text]


def test_colours_of_ours_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    terminal = console.Terminal(file=stream, force_terminal=True, color_system="standard")
    terminal.print("[red]Elena[/]\tand\nnobody")
    assert "\x1b[31mElena\x1b[0m" in stream.getvalue()


def test_json_is_the_same_value_and_commands_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"name": EVIL, "text": "日本\n\ud800\U000e0041", "wide": "é"}
    console.print_json(value)
    text = capsys.readouterr().out
    assert json.loads(text) == value
    assert "日本" in text
    assert not [sign for sign in (*_OBEYED, "\ud800") if sign in text]
