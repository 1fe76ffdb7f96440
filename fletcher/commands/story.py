"""Commands on an .arrow file: outline, check, chat, undo."""

from pathlib import Path
from typing import Annotated, Any

import typer

from arrow_project import ArrowProject, ParseError, check_text, parse
from arrow_project import outline as outline_of
from fletcher import console
from fletcher.errors import CommandError
from fletcher.options import ArrowFile, AsJson, DataDir, SceneId, Selected, Workspace, key_of, node_ids, settings_for
from fletcher.settings import Settings
from fletcher.turn_log import TurnLog


def outline(
    file: ArrowFile,
    scene: SceneId = None,
    select: Selected = "",
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Print what the model is shown of a project."""
    settings_for(data_dir, workspace)
    project, selected = parse_file(file), node_ids(select)
    document = project.document
    unknown = [f"scene {scene}"] if scene is not None and scene not in document.scenes else []
    unknown += [f"node {node_id}" for node_id in selected if node_id not in document.nodes]
    if unknown:
        raise CommandError(f"{file} has no {' and no '.join(unknown)}.")
    text = outline_of(project, scene, selected)
    console.print_json({"outline": text}) if as_json else console.out.print(text, markup=False, soft_wrap=True)


def check(file: ArrowFile, as_json: AsJson = False, data_dir: DataDir = None, workspace: Workspace = "local") -> None:
    """List every broken rule of a project, then the warnings. Exit code 1 only for broken rules."""
    settings_for(data_dir, workspace)
    findings = check_text(read_bytes(file))
    if as_json:
        console.print_json({"findings": [vars(finding) for finding in findings]})
    else:
        for finding in findings:
            colour = "red" if finding.severity == "error" else "yellow"
            console.out.print(f"[{colour}]{finding.severity} {finding.rule}[/] ", end="")
            console.out.print(f"{finding.place}: {finding.message}", markup=False)
    errors = sum(finding.severity == "error" for finding in findings)
    if errors:
        raise CommandError(f"{file.name} breaks {errors} rule{'s' if errors > 1 else ''}.")
    if not as_json:
        console.out.print(f"{file.name} breaks no rule ({len(findings)} warnings).", markup=False)


def chat(
    file: ArrowFile,
    message: Annotated[str, typer.Option("-m", "--message", help="What to say", show_default=False)],
    project: Annotated[str, typer.Option(help="The project whose documents are read")] = "1",
    scene: SceneId = None,
    select: Selected = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the changes; a yes to them makes these")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree beforehand to whatever would be asked")] = False,
    pending: Annotated[str | None, typer.Option(help="The question that the message answers, by its id")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Say one thing about a project: a question is answered, a request changes the file."""
    # These bring the model SDKs, which no other command on a file needs.
    from fletcher.turns import take_turn
    from server import TurnBody

    if dry_run and pending is not None:
        raise typer.BadParameter("--dry-run cannot answer a question: the answer would count.")
    settings = settings_for(data_dir, workspace)
    before = read_bytes(file)
    body = TurnBody(
        message=message,
        arrow_content=_parsed(file, before).to_text(),
        current_scene_id=scene,
        selected_node_ids=list(node_ids(select)),
        pending_id=pending,
        mode="plan" if dry_run else "apply",
    )
    with console.waiting("Thinking"):
        answer = take_turn(settings, key_of(workspace, project), body, agreed=yes)
    if answer["changed"]:
        turn_log(settings).write(file, before, answer["arrow_content"].encode())
    if dry_run:
        answer["changed"] = bool(answer["diff"])  # what a yes would do
    console.print_json(answer) if as_json else console.print_turn(answer)
    if not _is_done(answer, planned=dry_run):
        raise typer.Exit(1)


def _is_done(answer: dict[str, Any], *, planned: bool) -> bool:
    """Whether all of the message was done, or planned."""
    question = answer["question"]
    if question is not None and not (planned and question["kind"] == "plan"):
        return False
    return all(operation["success"] for operation in answer["operations"][-1:]) and not answer["not_done"]


def undo(file: ArrowFile, as_json: AsJson = False, data_dir: DataDir = None, workspace: Workspace = "local") -> None:
    """Restore a file as it was before the last turn."""
    turn_log(settings_for(data_dir, workspace)).undo(file)
    console.print_json({"file": str(file)}) if as_json else console.out.print(f"Restored {file}.", markup=False)


def turn_log(settings: Settings) -> TurnLog:
    """What the turns of this data directory have replaced."""
    return TurnLog(settings.data_dir / "undo")


def read_bytes(file: Path) -> bytes:
    """The file's bytes; raises `CommandError` with the reason."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error


def parse_file(file: Path) -> ArrowProject:
    """The project in the file; raises `CommandError` with the broken rule."""
    return _parsed(file, read_bytes(file))


def _parsed(file: Path, content: bytes) -> ArrowProject:
    try:
        return parse(content)
    except ParseError as error:
        raise CommandError(f"{file} is not a project that Arrow would open: {error}") from error
