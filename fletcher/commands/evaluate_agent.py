"""`fletcher evaluate-agent`: the task suite, with any model."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from corpora import DataDirectory, ProjectKey
from corpora.samples import SAMPLE
from evaluation.agent import TASKS, Attempt, Outcome, StartNotHere, TakeTurn, Task, TurnRefused, attempt
from fletcher import console
from fletcher.errors import CommandError
from fletcher.options import AsJson, DataDir, Workspace, settings_for
from fletcher.settings import Settings
from ingest import scan

_PROJECT = "1"
_COLORS: Mapping[Outcome, str] = {"right": "green", "refused": "yellow", "wrong": "red"}


def evaluate_agent(
    model: Annotated[str, typer.Option(help="`local`, or provider:name as in FLETCHER_MODEL", show_default=False)] = "",
    task: Annotated[list[str] | None, typer.Option(help="Only this task; may be given several times")] = None,
    lists: Annotated[bool, typer.Option("--list", help="Name the tasks and run none")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Run the task suite on the sample project with a model.

    Right, refused (nothing was changed, and the answer says so) and wrong are counted apart. Exit code 1 if a task went
    wrong or was refused; `local` may refuse what is not written in its grammar.
    """
    tasks = _chosen(task or ())
    if lists:
        _list(tasks, as_json=as_json)
        return
    if not model:
        raise typer.BadParameter("Which model? --model local, or --model provider:name.")
    settings = settings_for(data_dir, workspace).for_evaluation().model_copy(update={"model": model})
    attempts, skipped = _run(settings, ProjectKey(workspace, _PROJECT), tasks)
    console.print_json(_as_dict(model, attempts, skipped)) if as_json else _print(model, attempts, skipped)
    if any(_fails(model, tried) for tried in attempts):
        raise typer.Exit(1)


def _list(tasks: Sequence[Task], *, as_json: bool) -> None:
    if as_json:
        console.print_json({"tasks": [{"task": task.id, "held_out": task.held_out} for task in tasks]})
    else:
        for task in tasks:
            console.out.print(task.id, markup=False)


def _fails(model: str, tried: Attempt) -> bool:
    """Free requests are for a model: the planner without one is asked only not to do them wrongly."""
    from agent import LOCAL  # here, as every command would load what a model needs

    may_refuse = model == LOCAL and not tried.task.in_grammar
    return tried.outcome == "wrong" or (tried.outcome == "refused" and not may_refuse)


def _chosen(ids: Sequence[str]) -> list[Task]:
    unknown = set(ids) - {task.id for task in TASKS}
    if unknown:
        raise typer.BadParameter(f"There is no task {', '.join(sorted(unknown))}. All are told by --list.")
    return [task for task in TASKS if not ids or task.id in ids]


def _run(settings: Settings, key: ProjectKey, tasks: Iterable[Task]) -> tuple[list[Attempt], dict[str, str]]:
    # Here, as they take longer to load than to name all tasks.
    from fletcher.wiring import build_services, open_parts
    from server import RequestError, TurnBody, answer_turn

    directory = DataDirectory(settings.data_dir)
    with directory.own(), open_parts(settings, directory) as parts:
        services = build_services(settings, parts)
        report = parts.ingestor.index(key, scan(SAMPLE.documents), replace=True)
        if any(document.error for document in report.documents):
            raise CommandError("The documents of the sample project could not all be read.")

        async def take_turn(body: Mapping[str, Any]) -> Mapping[str, Any]:
            try:
                return await answer_turn(TurnBody(**body), key, services)
            except RequestError as error:
                raise TurnRefused(f"{error.code}: {error}") from error

        return asyncio.run(_attempts(tasks, take_turn))


async def _attempts(tasks: Iterable[Task], take_turn: TakeTurn) -> tuple[list[Attempt], dict[str, str]]:
    attempts: list[Attempt] = []
    skipped: dict[str, str] = {}
    for task in tasks:
        try:
            tried = await attempt(task, take_turn)
        except StartNotHere as missing:
            skipped[task.id] = str(missing)
            continue
        attempts.append(tried)
        console.err.print(f"{tried.outcome:<7} {task.id}", markup=False)
    return attempts, skipped


def _print(model: str, attempts: Sequence[Attempt], skipped: Mapping[str, str]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("Task", "Outcome", "Reason"):
        table.add_column(heading, overflow="fold")
    for heading in ("Requests", "Tokens", "Cost $", "Seconds"):
        table.add_column(heading, justify="right")
    for tried in attempts:
        outcome = f"[{_COLORS[tried.outcome]}]{tried.outcome}[/]"
        table.add_row(tried.task.id, outcome, escape(tried.wrong[0] if tried.wrong else ""), *_figures((tried,)))
    for task, reason in skipped.items():
        table.add_row(task, "[yellow]skipped[/]", escape(reason))
    table.add_section()
    table.add_row("Total", str(len(attempts)), escape(model), *_figures(attempts))
    console.out.print(table)
    console.out.print(", ".join(f"{count} {outcome}" for outcome, count in _counts(attempts).items()))


def _figures(attempts: Sequence[Attempt]) -> tuple[str, str, str, str]:
    costs = [tried.cost for tried in attempts]
    tokens = sum(cost.input_tokens + cost.output_tokens for cost in costs)
    seconds = sum(cost.seconds for cost in costs)
    price = _price(attempts)
    return (
        str(sum(cost.requests for cost in costs)),
        str(tokens),
        "" if price is None else f"{price:.4f}",
        f"{seconds:.1f}",
    )


def _price(attempts: Sequence[Attempt]) -> float | None:
    known = [tried.cost.cost_usd for tried in attempts if tried.cost.cost_usd is not None]
    return sum(known) if known else None


def _counts(attempts: Sequence[Attempt]) -> dict[str, int]:
    return {outcome: sum(tried.outcome == outcome for tried in attempts) for outcome in _COLORS}


def _as_dict(model: str, attempts: Sequence[Attempt], skipped: Mapping[str, str]) -> dict[str, Any]:
    rows = [
        {
            "task": tried.task.id,
            "in_grammar": tried.task.in_grammar,
            "held_out": tried.task.held_out,
            "outcome": tried.outcome,
            "reasons": list(tried.wrong),
            "requests": tried.cost.requests,
            "input_tokens": tried.cost.input_tokens,
            "output_tokens": tried.cost.output_tokens,
            "cost_usd": tried.cost.cost_usd,
            "seconds": round(tried.cost.seconds, 3),
        }
        for tried in attempts
    ]
    total = {
        "tasks": len(attempts),
        **_counts(attempts),
        "requests": sum(tried.cost.requests for tried in attempts),
        "input_tokens": sum(tried.cost.input_tokens for tried in attempts),
        "output_tokens": sum(tried.cost.output_tokens for tried in attempts),
        "cost_usd": _price(attempts),
        "seconds": round(sum(tried.cost.seconds for tried in attempts), 3),
    }
    return {"model": model, "tasks": rows, "skipped": dict(skipped), "total": total}
