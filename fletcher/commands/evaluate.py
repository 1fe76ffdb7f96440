"""`fletcher evaluate`: how well questions find their passages, ours beside the stock LlamaIndex pipeline."""

import hashlib
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress as Bars
from rich.progress import TaskID
from rich.table import Table

from corpora import ProjectKey
from evaluation.retrieval import (
    DocumentText,
    Ours,
    Pipeline,
    Question,
    QuestionsError,
    located,
    picture,
    read_questions,
)
from evaluation.retrieval import evaluate as measured
from fletcher import console
from fletcher.errors import CommandError
from fletcher.options import AsJson, DataDir, Workspace, settings_for
from fletcher.owner import open_alone
from fletcher.settings import Settings
from fletcher.wiring import Parts
from ingest import Progress, Refusal, Source, counted, scan

_PROJECT = "retrieval"
_OURS = "Fletcher"
_SCOPES = {False: "all documents", True: "within the document"}

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder with documents/ and questions.jsonl")]
WithStock = Annotated[
    bool, typer.Option("--stock", help=r"Also measure LlamaIndex's own pipeline (needs fletcher-arrow\[bench])")
]
OtherModel = Annotated[
    str | None,
    typer.Option("--embedding-model", metavar="MODEL", help="Compare one, as FLETCHER_EMBEDDING_MODEL names it"),
]
OtherReranker = Annotated[
    str | None, typer.Option("--reranker", metavar="MODEL", help="And one on top, as FLETCHER_RERANKER names it")
]
Drawing = Annotated[Path | None, typer.Option("--picture", metavar="FILE.svg", help="Draw the coverage, too")]


def evaluate(
    folder: Folder,
    stock: WithStock = False,
    drawing: Drawing = None,
    embedding_model: OtherModel = None,
    reranker: OtherReranker = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Measure retrieval on a folder of documents and of questions with known answers.

    Coverage is the share of the answer's section in the first 2,000 characters that are found.
    """
    variants = _variants(settings_for(data_dir, workspace), embedding_model, reranker)
    with _questions_error():
        questions = read_questions(folder / "questions.jsonl")
    if not (folder / "documents").is_dir():
        raise CommandError(f"{folder} has no folder documents/, with the documents that questions.jsonl names.")
    sources = scan([folder / "documents"])
    rows: list[dict[str, Any]] = []
    with console.bars(transient=True) as bars:
        for pipeline, asked in _pipelines(variants, ProjectKey(workspace, _PROJECT), sources, questions, stock, bars):
            for within, scope in _SCOPES.items():
                with _task(bars, f"{pipeline.name}, {scope}", len(questions)) as task:
                    measures = measured(
                        pipeline, asked, within_document=within, asked=lambda task=task: bars.advance(task)
                    )
                rows.append({"pipeline": pipeline.name, "scope": scope, **asdict(measures)})
    first = list(variants)
    rows.sort(key=lambda row: first.index(row["pipeline"]) if row["pipeline"] in variants else len(first))
    console.print_json({"questions": len(questions), "results": rows}) if as_json else _print(rows, len(questions))
    if drawing is not None:  # last: what was measured is not lost where it cannot be drawn
        _draw(drawing, rows)


def _variants(settings: Settings, embedding_model: str | None, reranker: str | None) -> dict[str, Settings]:
    """What is compared, by the name in the table: what is set, and with one of the two models more each."""
    as_set = settings.for_evaluation()
    variants = {_OURS: as_set}
    if embedding_model is not None:
        # Vectors of two models do not mix, so each has a corpus of its own.
        place = hashlib.sha256(embedding_model.encode()).hexdigest()[:12]
        as_set = as_set.model_copy(update={"embedding_model": embedding_model, "data_dir": as_set.data_dir / place})
        variants[f"{_OURS}, {embedding_model}"] = as_set
    if reranker is not None:
        name = ", ".join(filter(None, (_OURS, embedding_model, reranker)))
        variants[name] = as_set.model_copy(update={"reranker": reranker})
    return variants


def _pipelines(
    variants: dict[str, Settings],
    key: ProjectKey,
    sources: Collection[Source | Refusal],
    questions: Sequence[Question],
    stock: bool,
    bars: Bars,
) -> Iterator[tuple[Pipeline, Sequence[Question]]]:
    """Each, with the questions as their places are in the documents."""
    texts: list[DocumentText] = []
    asked: list[Question] = []
    # The last one first, so that a model that cannot be used ends it before anything is measured.
    for name, settings in reversed(variants.items()):
        with open_alone(settings, f"Another evaluation is running in {settings.data_dir}.") as (parts, _):
            if parts.reranker is not None:
                parts.reranker.load()
            texts = _texts(parts, key, sources, questions, bars)
            asked = _located(questions, texts)
            yield Ours(parts.retriever, key, parts.catalog.passages(key), name), asked
    if stock:
        yield from ((pipeline, asked) for pipeline in _stock(texts, bars))


def _located(questions: Sequence[Question], texts: Sequence[DocumentText]) -> list[Question]:
    text_of = {text.name: text.text for text in texts}
    with _questions_error():
        return [located(question, text_of[question.document]) for question in questions]


@contextmanager
def _questions_error() -> Generator[None]:
    try:
        yield
    except QuestionsError as error:
        raise CommandError(str(error)) from error


def _texts(
    parts: Parts,
    key: ProjectKey,
    sources: Collection[Source | Refusal],
    questions: Sequence[Question],
    bars: Bars,
) -> list[DocumentText]:
    """The documents, which are taken in."""
    _read(parts, key, sources, bars)
    documents = parts.catalog.documents(key)
    unknown = {question.document for question in questions} - {document.name for document in documents}
    if unknown:
        raise CommandError(
            f"questions.jsonl names documents that are not in documents/ or cannot be read: {_some(unknown)}."
        )
    return [DocumentText(document.name, parts.catalog.text(key, document.id)) for document in documents]


def _read(parts: Parts, key: ProjectKey, sources: Collection[Source | Refusal], bars: Bars) -> None:
    with _task(bars, "Reading", len(sources)) as task:

        def listen(event: Progress) -> None:
            bars.update(task, description=event.phase.capitalize(), completed=event.done, total=event.total)

        parts.ingestor.index(key, sources, replace=True, progress=listen)


def _stock(texts: Sequence[DocumentText], bars: Bars) -> Iterator[Pipeline]:
    try:
        from evaluation.retrieval.stock import SIZES, StockIndex
    except ImportError as error:
        raise CommandError(
            f"LlamaIndex's pipeline is not installed ({error.name}). Install it: pip install 'fletcher-arrow[bench]'"
        ) from error
    for size in SIZES:
        with _task(bars, f"Embedding LlamaIndex {size[0]}/{size[1]}", None) as task:
            index = StockIndex(
                texts, size, lambda done, total, task=task: bars.update(task, completed=done, total=total)
            )
        yield from index.pipelines()


def _draw(drawing: Path, rows: Sequence[dict[str, Any]]) -> None:
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row["pipeline"], []).append(row["coverage"])
    try:
        drawing.write_text(picture("coverage@2000", list(_SCOPES.values()), values), "utf-8")
    except OSError as error:
        raise CommandError(f"{drawing} cannot be written: {error.strerror}.") from error


def _print(rows: Sequence[dict[str, Any]], questions: int) -> None:
    for scope in _SCOPES.values():
        of_scope = [row for row in rows if row["scope"] == scope]
        console.out.print(f"\n{counted(questions, 'question')}, {scope}")
        console.out.print(_table(of_scope))
        _print_lead(scope, {row["pipeline"]: row["coverage"] for row in of_scope})


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    measures = [name for name in rows[0] if name not in ("pipeline", "scope")]
    table = Table(box=None, pad_edge=False)
    table.add_column("Pipeline", overflow="fold")
    for name in measures:
        table.add_column(name.replace("_", "@"), justify="right", no_wrap=True)
    for row in rows:
        style = "bold" if row["pipeline"] == _OURS else ""
        table.add_row(row["pipeline"], *(f"{row[name]:.3f}" for name in measures), style=style)
    return table


def _print_lead(scope: str, coverages: dict[str, float]) -> None:
    ours = coverages.pop(_OURS)
    if coverages:
        best = max(coverages, key=coverages.__getitem__)
        console.out.print(f"Coverage, {scope}: {ours - coverages[best]:+.3f} to the best other ({best}).")


@contextmanager
def _task(bars: Bars, description: str, total: int | None) -> Generator[TaskID]:
    task = bars.add_task(description, total=total)
    try:
        yield task
    finally:
        bars.remove_task(task)


def _some(names: Collection[str]) -> str:
    return ", ".join(sorted(names)[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
