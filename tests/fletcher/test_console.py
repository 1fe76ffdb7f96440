"""What commands print: no name, passage or answer has the terminal do anything."""

import io
import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, TextIO

import pytest

from corpora import Passage
from fletcher import console
from fletcher.conversation import converse
from fletcher.errors import CommandError
from fletcher.log import log_warnings
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
    console.print_report(IngestReport("1", (report(), report("indexed")), 0.1).as_dict())


def _skipped() -> None:
    console.print_documents([DocumentReport(EVIL, "skipped", error=Problem("UNKNOWN_FORMAT", EVIL)).as_dict()])


def _changes() -> None:
    console.print_changes(IngestReport("1", (report(),), 0.1).as_dict())


def _found() -> None:
    passage = Passage("p", "d", EVIL, 1, 1, (EVIL,), 0, 9, f"light\xadhouse {EVIL}")
    console.print_found(SearchAnswer(EVIL, (RankedPassage(passage, 0.5, (EVIL,)),), {EVIL: (1,)}).as_dict())


def _turn() -> None:
    console.print_turn({
        "text": EVIL, "changed": True, "diff": EVIL, "question": None,
        "citations": [{"number": 1, "document": EVIL, "page_from": 1, "page_to": 1}],
        "operations": [{"function": "f", "success": False, "error": {"message": EVIL * 2}, "result": None}],
        "suggestions": [{"label": EVIL, "function": "f", "params": {"name": EVIL}}],
    })  # fmt: skip


def _error() -> None:
    console.err.print(f"Error: {EVIL}", markup=False, soft_wrap=True)


def _about() -> None:
    turns: Any = None  # nothing is said
    converse(turns, Path(f"m[/{EVIL}"))


@pytest.mark.parametrize("printed", [_report, _skipped, _changes, _found, _turn, _error, _about])
def test_nothing_that_is_printed_commands_the_terminal(
    shown: io.StringIO, printed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    printed()
    text = shown.getvalue()
    assert r"\x1b[31m\x9b2J\u202efdp.[bold red]md[/]" in text
    assert not [sign for sign in _OBEYED if sign in text]


def test_a_change_that_is_longer_than_a_line_goes_on_indented(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(console, "out", console.Terminal(file=stream, highlight=False, width=20))
    answer = {"text": "", "citations": [], "operations": [], "question": None, "suggestions": [], "changed": True}
    console.print_turn(answer | {"diff": "+ node 36 monolog 10 Osk\n- node 37\nInspector!Inspector!Inspector!"})
    assert stream.getvalue() == (
        "\nChanged:\n+ node 36 monolog\n  10 Osk\n- node 37\nInspector!Inspecto\n  r!Inspector!\n"
    )


def test_the_bars_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(console, "err", console.Terminal(file=stream, force_terminal=True, width=200))
    with console.ingest_progress() as listen:
        listen(IngestProgress(EVIL, "reading", 0, 1))
    assert "Reading …202efdp.[bold red]md[/]" in stream.getvalue()
    assert not [sign for sign in ("\x1b]0", "\x9b", "\x07", "\u202e") if sign in stream.getvalue()]


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


def test_a_name_with_colons_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    console.out.print(console.document_table([report("indexed").as_dict() | {"name": ":smile:.md"}]))
    console.out.print("She wrote :heart: there.", markup=False)
    assert ":smile:.md" in (said := capsys.readouterr().out)
    assert ":heart:" in said


def test_an_ingest_ends_with_what_failed_and_why(shown: io.StringIO) -> None:
    done = [DocumentReport(f"{n}.md", "indexed", passages=1) for n in range(2)]
    problem = Problem("DAMAGED", "bible.pdf: it is damaged; export it again.")
    failed = DocumentReport("bible.pdf", "failed", error=problem)
    console.print_report(IngestReport("1", (failed, *done), 0.1).as_dict())
    lines = [line.strip() for line in shown.getvalue().splitlines()]
    assert lines[-2:] == ["2 indexed, 1 failed in 0.1 s", "bible.pdf: it is damaged; export it again."]


def test_a_warning_does_not_tear_the_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(console, "err", console.Terminal(file=stream, force_terminal=True, width=200))
    log_warnings()
    with console.ingest_progress() as listen:
        listen(IngestProgress("a.md", "reading", 0, 2))
        stream.truncate(stream.seek(0))
        logging.getLogger("somebody").warning("what is in %s", EVIL)
        written = stream.getvalue()
    before, _, after = written.partition("WARNING")
    assert "\x1b[2K" in before, "the bars are taken away first"
    assert "Reading" in after, "and drawn again below"


def test_who_reads_a_file_gets_whole_lines(tmp_path: Path) -> None:
    program = "from fletcher import console; console.out.print('word ' * 100)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("confidence", "told"), [(0.05, "do not seem to answer it"), (0.3, "may not answer it"), (0.9, "")]
)
def test_a_search_that_has_no_answer_says_so(shown: io.StringIO, confidence: float, told: str) -> None:
    passage = RankedPassage(Passage("p", "d", "bible.md", None, None, (), 0, 9, "a harbour"), 0.5)
    console.print_found(SearchAnswer("dragons", (passage,), {}, confidence).as_dict())
    assert ("answer it" in shown.getvalue()) == bool(told)
    assert told in shown.getvalue()


def test_an_empty_folder_leaves_no_bar_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    terminal = console.Terminal(file=stream, force_terminal=True, color_system=None, width=80)
    monkeypatch.setattr(console, "err", terminal)
    with console.ingest_progress():
        pass
    assert not re.search(r"\d/\?", stream.getvalue().rpartition("\x1b[2K")[2])


def test_where_standard_error_takes_nothing_standard_output_has_all(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], full: TextIO
) -> None:
    monkeypatch.setattr("sys.stderr", full)
    with pytest.raises(CommandError, match="cannot be written"):
        console.err.print("A warning.")
    console.print_json({"documents": []})
    assert "documents" in capfd.readouterr().out
