"""What commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, cast

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from corpora import page_range, printable_lines
from fletcher.errors import CommandError
from ingest import counted, page_list

if TYPE_CHECKING:
    from ingest import Progress as IngestProgress
    from ingest import ProgressListener

Answer = dict[str, Any]


class Terminal(Console):
    """A console that writes no command of somebody's file name, document or story to the terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Prints.

        Raises:
            CommandError: It cannot be written: the disk is full.
        """
        with _written(self.file):
            super().print(*objects, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """A string, with escapes before it is measured and broken into lines."""
        return super().render_str(printable_lines(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Whatever is printed passes here, before its colours become commands."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable_lines(text), style, control)


def _terminal(*, stderr: bool = False) -> Terminal:
    """Lines are broken for terminals only: a file or a program gets each whole."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _UNBROKEN
    return Terminal(stderr=stderr, highlight=False, emoji=False, width=width)


@contextmanager
def _written(stream: IO[str]) -> Generator[None]:
    try:
        yield
    except BrokenPipeError:  # whoever read it has seen enough
        raise
    except OSError as error:
        # Python would try again when the process ends, and say so in its own words.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        problem = f"What this command says cannot be written: {error.strerror}. What it has done stays done."
        raise CommandError(problem) from error


_UNBROKEN = 10_000
out = _terminal()
err = _terminal(stderr=True)

_NAMED = 8
_INDENTED = 2
_ROOM_BESIDE_A_BAR = 24
_IN_ORDER = ("indexed", "updated", "unchanged", "searchable", "removed", "skipped", "failed")
_DOUBTS = {"weak": "These may not answer it", "none": "The documents do not seem to answer it"}
_COLOURS = {
    "failed": "red",
    "skipped": "yellow",
    "removed": "yellow",
    "unchanged": "dim",
    "searchable": "cyan",
}


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    with _written(sys.stdout):
        typer.echo(_json(value, indent=2))


def print_json_line(value: Any) -> None:
    """One JSON value on a line of its own, for a command that says more than one."""
    with _written(sys.stdout):
        typer.echo(_json(value))


def _json(value: Any, indent: int | None = None) -> str:
    """Everything readable as it is; what a terminal would obey, and halves of characters, as JSON escapes them."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if printable_lines(text) == text:
        return text
    return "".join(sign if printable_lines(sign) == sign else json.dumps(sign)[1:-1] for sign in text)


@contextmanager
def ingest_progress() -> Generator[ProgressListener]:
    """Bars for documents and for vectors, on standard error."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err, disable=not err.is_terminal) as bars:
        documents = bars.add_task("Reading", total=None, unit="documents")
        vectors = bars.add_task("Embedding", total=None, unit="passages", visible=False)

        def listen(event: IngestProgress) -> None:
            if event.phase == "embedding":
                # The embedding model takes some seconds to load before the first batch is done.
                label = "Embedding" if event.done else "Loading the embedding model (90 MB)"
                bars.update(vectors, description=label, total=event.total, completed=event.done, visible=True)
            else:
                page = f", page {event.page} of {event.pages}" if event.pages else ""
                label = (
                    f"Reading {escape(_short(printable_lines(event.document)))}{page}"
                    if event.phase == "reading"
                    else "Reading"
                )
                bars.update(documents, description=label, total=event.total, completed=event.done)

        yield listen
        if not bars.tasks[documents].total:  # there was nothing to read
            bars.update(documents, visible=False)


def _short(name: str) -> str:
    """The end of a name, so that there is room for the bar beside it."""
    return name if len(name) <= _ROOM_BESIDE_A_BAR else f"…{name[1 - _ROOM_BESIDE_A_BAR :]}"


@contextmanager
def bars(*, transient: bool = False) -> Generator[Progress]:
    """Bars for what a command does step by step, on standard error; `transient`: gone when it is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=transient, disable=not err.is_terminal) as shown:
        yield shown


def print_report(report: Answer) -> None:
    """The report of an ingest as a table, with the time it took; it ends with what failed, and why."""
    print_documents(report["documents"], f" in {report['seconds']:.1f} s")


def print_documents(reported: Sequence[Answer], after_count: str = "") -> None:
    """What became of documents as a table, counted below it; at last what failed, with reason and remedy."""
    others = [entry["name"] for entry in reported if _is_no_document(entry)]
    documents = [entry for entry in reported if not _is_no_document(entry)]
    if documents:
        out.print(document_table(documents))
    if others:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        names = ", ".join(others[:_NAMED])
        out.print(f"Skipped, not of a kind that is read: {names}{more}", style="yellow", markup=False)
    counts = Counter(entry["status"] for entry in documents)
    said = ", ".join(f"{counts[status]} {status}" for status in _IN_ORDER if counts[status])
    out.print(f"{said or 'No documents'}{after_count}")
    for entry in documents:
        if entry["status"] == "failed":
            out.print(entry["error"]["message"], style="red", markup=False)


def print_changes(report: Answer) -> None:
    """What has changed, a line for each document."""
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    for entry in report["documents"]:
        status = entry["status"]
        if status != "unchanged" and not _is_no_document(entry):
            colour = _COLOURS.get(status, "green")
            note = _note(entry) or (counted(entry["passages"], "passage") if status != "removed" else "")
            out.print(f"{now}  [{colour}]{status:<10}[/] {escape(entry['name'])}  {escape(note)}")


def document_table(documents: Sequence[Answer]) -> Table:
    """Documents with status, size and what there is to say about them."""
    table = Table(box=None, pad_edge=False)
    for heading, justify in (
        ("Document", "left"),
        ("Status", "left"),
        ("Pages", "right"),
        ("Passages", "right"),
    ):
        table.add_column(heading, justify=justify, overflow="fold")  # pyright: ignore[reportArgumentType]
    # Why one failed is longer than a table is wide.
    notes = ["" if entry["status"] == "failed" else _note(entry) for entry in documents]
    if any(notes):
        table.add_column("Note", overflow="fold")
    for entry, note in zip(documents, notes, strict=True):
        colour = _COLOURS.get(entry["status"], "green")
        status = f"[{colour}]{entry['status']}[/]"
        pages = "" if entry["pages"] is None else str(entry["pages"])
        passages = str(entry["passages"]) if entry["passages"] else ""
        table.add_row(escape(entry["name"]), status, pages, passages, *([escape(note)] if any(notes) else []))
    return table


def print_found(answer: Answer) -> None:
    """Whether they have an answer, ranked passages, each with its place, and pages that could not be looked at."""
    if not answer["passages"]:
        out.print("Nothing found.")
    elif answer["relevance"] != "strong":
        out.print(f"{_DOUBTS[answer['relevance']]} (confidence {answer['confidence']:.2f}).\n", style="yellow")
    for rank, passage in enumerate(answer["passages"], start=1):
        place = passage["document"] + page_range(passage["page_from"], passage["page_to"])
        out.print(f"[bold]{rank}. {escape(place)}[/]  {escape(' > '.join(passage['heading']))}")
        if "also_in" in passage:
            out.print(f"also in {', '.join(passage['also_in'])}", markup=False, style="dim")
        out.print(escape(passage["text"].strip()))
        out.print()
    for entry in answer.get("pages_without_text", ()):
        pages = page_list(entry["pages"]) + (f" and {more} more" if (more := entry.get("more_pages")) else "")
        note = f"Not searched: page {pages} of {entry['document']} (pictures without text)"
        out.print(note, markup=False, style="yellow")
    if answer.get("text_only"):
        out.print("Searched by text only: the vectors cannot be asked just now.", style="yellow")
    if answer.get("not_reranked"):
        out.print("Not reranked: the reranker's provider does not answer just now.", style="yellow")


def print_turn(answer: Answer, *, conversing: bool = False) -> None:
    """The answer of a turn: what was said, its sources, what changed, what is asked, what could follow.

    In a conversation the text has been shown while it came, and what follows is typed as it stands.
    """
    if answer["text"] and not conversing:
        out.print(answer["text"], markup=False)
    for citation in answer["citations"]:
        pages = page_range(citation["page_from"], citation["page_to"])
        twins = f" (also in {', '.join(citation['also_in'])})" if "also_in" in citation else ""
        out.print(f"[{citation['number']}] {citation['document']}{pages}{twins}", markup=False, style="dim")
    for operation in answer["operations"]:
        if not operation["success"] and operation["error"]["message"] not in answer["text"]:
            out.print(f"{operation['function']}: {operation['error']['message']}", markup=False, style="red")
        for remark in _remarks(operation["result"]):
            out.print(f"Note: {remark}", markup=False, style="yellow")
    question = answer["question"]
    if answer["changed"] and question is None and answer["diff"] not in answer["text"]:
        out.print("\nChanged:")
        _print_hanging(answer["diff"])
    if question is not None:
        out.print(question["text"], markup=False, style="bold")
        if not conversing:
            reply = "-m 'THE ANSWER'" if question["kind"] == "parameters" else "-m yes, or -m no"
            out.print(f"Answer with: {reply}", markup=False, style="dim")
    if answer["suggestions"]:
        out.print()
    for suggestion in answer["suggestions"]:
        call = f"/{suggestion['function']} {json.dumps(suggestion['params'], ensure_ascii=False)}"
        call = call if conversing else f"-m {shlex.quote(call)}"
        out.print(f"{suggestion['label']}: {call}", markup=False, style="dim")


def _print_hanging(lines: str) -> None:
    """Lines whose continuation in a terminal is indented, so that one sees where the next begins."""
    for line in printable_lines(lines).split("\n"):
        parts = Text(line).wrap(out, out.width - _INDENTED)
        out.print(f"\n{' ' * _INDENTED}".join(part.plain.rstrip() for part in parts), markup=False)


def _remarks(result: Any) -> list[str]:
    """What of an operation was stored in another way than asked."""
    return cast("dict[str, Any]", result).get("remarks", []) if isinstance(result, dict) else []


@contextmanager
def waiting(what: str) -> Generator[None]:
    """A spinner on standard error while something takes its time."""
    with err.status(f"{what} ..."):
        yield


def _is_no_document(entry: Answer) -> bool:
    return entry["status"] == "skipped" and entry["error"] is not None and entry["error"]["code"] == "UNKNOWN_FORMAT"


def _note(entry: Answer) -> str:
    if entry["error"] is not None:
        return entry["error"]["message"]
    notes: list[str] = []
    if pages := entry["pages_without_text"]:
        notes.append(f"no text on page {page_list(pages)} (pictures)")
    if pages := entry.get("pages_recognized"):
        notes.append(f"page {page_list(pages)} read by text recognition (OCR)")
    if pages := entry.get("pages_with_hidden_text"):
        notes.append(f"text that nobody can see was left out on page {page_list(pages)}")
    notes += [f"{number} more in {name}" for name, number in entry.get("more_pages", {}).items()]
    return "; ".join(notes)
