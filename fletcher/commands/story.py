"""Commands that look at an .arrow file: outline, check."""

from pathlib import Path

from rich.markup import escape

from arrow_project import ArrowProject, ParseError, check_text, parse
from arrow_project import outline as outline_of
from fletcher import console
from fletcher.errors import CommandError
from fletcher.options import ArrowFile, AsJson, DataDir, SceneId, Selected, Workspace, node_ids, settings_for
from fletcher.story_file import read_story
from ingest import counted


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
    data = project.data
    unknown = [f"scene {scene}"] if scene is not None and scene not in data.scenes else []
    unknown += [f"node {node_id}" for node_id in selected if node_id not in data.nodes]
    if unknown:
        raise CommandError(f"{file} has no {' and no '.join(unknown)}.")
    text = outline_of(project, scene, selected)
    console.print_json({"outline": text}) if as_json else console.out.print(text, markup=False)


def check(file: ArrowFile, as_json: AsJson = False, data_dir: DataDir = None, workspace: Workspace = "local") -> None:
    """List every broken rule of a project, then the warnings. Exit code 1 only for broken rules."""
    settings_for(data_dir, workspace)
    findings = check_text(read_story(file))
    if as_json:
        console.print_json({"findings": [vars(finding) for finding in findings]})
    else:
        for finding in findings:
            colour = "red" if finding.severity == "error" else "yellow"
            said = escape(f"{finding.place}: {finding.message}")
            console.out.print(f"[{colour}]{finding.severity} {finding.rule}[/] {said}")
    errors = sum(finding.severity == "error" for finding in findings)
    if errors:
        raise CommandError(f"{file.name} breaks {counted(errors, 'rule')}.")
    if not as_json:
        console.out.print(f"{file.name} breaks no rule ({counted(len(findings), 'warning')}).", markup=False)


def parse_file(file: Path) -> ArrowProject:
    """The project in the file; raises `CommandError` with the broken rule."""
    return _parsed(file, read_story(file))


def _parsed(file: Path, content: bytes) -> ArrowProject:
    try:
        return parse(content)
    except ParseError as error:
        raise CommandError(f"{file} is not a project that Arrow would open: {error}") from error
