"""`fletcher evaluate-agent` as a program: the table, the JSON, the exit code."""

from tests.end_to_end.conftest import Run


def test_tasks_are_run_and_counted(run: Run) -> None:
    done = run("evaluate-agent", "--model", "local", "--task", "ask-steps", "--task", "delete-no", "--json")

    assert done.code == 0, done.err
    assert {row["task"]: row["passed"] for row in done.json["tasks"]} == {"ask-steps": True, "delete-no": True}
    assert done.json["model"] == "local"
    assert done.json["total"] | {"seconds": 0, "requests": 0, "input_tokens": 0, "output_tokens": 0} == {
        "tasks": 2, "passed": 2, "requests": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": None, "seconds": 0,
    }  # fmt: skip
    assert "passed  ask-steps" in done.err


def test_a_task_that_fails_is_told_with_its_reason_and_the_exit_code(run: Run) -> None:
    done = run("evaluate-agent", "--model", "local", "--task", "tone-of-one-line")

    assert done.code == 1
    assert "0 of 1" in done.out
    assert "node 12: lines is" in " ".join(done.out.split())


def test_an_unknown_task_is_wrong_usage(run: Run) -> None:
    done = run("evaluate-agent", "--model", "local", "--task", "dance")

    assert done.code == 2
    assert "There is no task dance" in " ".join(done.err.replace("│", " ").split())


def test_a_model_that_cannot_be_used_is_said(run: Run) -> None:
    done = run("evaluate-agent", "--model", "anthropic:claude-sonnet-4-5", "--task", "ask-steps")

    assert done.code == 1
    assert "cannot be used" in done.err
