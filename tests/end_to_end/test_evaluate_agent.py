"""`fletcher evaluate-agent` as a program: the table, the JSON, the exit code."""

import shutil
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Run

pytestmark = pytest.mark.long


@pytest.fixture
def data_dir(ingested: Path, tmp_path: Path) -> Path:
    """As after a first run, which has ingested the sample."""
    shutil.copytree(ingested, tmp_path / "data" / "evaluation")
    return tmp_path / "data"


def test_tasks_are_run_and_counted(run: Run) -> None:
    done = run("evaluate-agent", "--model", "local", "--task", "ask-steps", "--task", "delete-no", "--json")

    assert done.code == 0, done.err
    assert {row["task"]: row["outcome"] for row in done.json["tasks"]} == {"ask-steps": "right", "delete-no": "right"}
    assert done.json["model"] == "local"
    counted = {"tasks": 2, "right": 2, "refused": 0, "wrong": 0, "requests": 0, "input_tokens": 0, "output_tokens": 0}
    assert done.json["total"] | {"seconds": 0, "requests": 0} == counted | {"cost_usd": None, "seconds": 0}
    assert "right   ask-steps" in done.err


def test_a_free_request_that_local_refuses_is_told_and_no_failure(run: Run) -> None:
    done = run("evaluate-agent", "--model", "local", "--task", "tone-of-one-line")

    assert done.code == 0
    assert "0 right, 1 refused, 0 wrong" in " ".join(done.out.split())
    assert "node 12: lines is" in " ".join(done.out.split())


def test_an_unknown_task_is_wrong_usage(run: Run) -> None:
    done = run("evaluate-agent", "--model", "local", "--task", "dance")

    assert done.code == 2
    assert "There is no task dance. All are told by --list." in " ".join(done.err.replace("│", " ").split())


def test_a_model_that_cannot_be_used_is_said(run: Run) -> None:
    done = run("evaluate-agent", "--model", "anthropic:claude-sonnet-4-5", "--task", "ask-steps")

    assert done.code == 1
    assert "cannot be used" in done.err
