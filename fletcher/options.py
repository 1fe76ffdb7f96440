"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from corpora import InvalidName, ProjectKey, is_storable, printable
from fletcher.settings import DEFAULT_DATA_DIR, Settings, load_settings

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", help=rf"Where Fletcher keeps its data \[default: FLETCHER_DATA_DIR or {DEFAULT_DATA_DIR}]"
    ),
]


def _workspace(context: typer.Context, value: str) -> str:
    """The workspace that was named, else the one that the command line's own token opens."""
    source = context.get_parameter_source("workspace")
    is_named = source is not None and source.name != "DEFAULT"
    return value if is_named else load_settings().own_workspace() or value


Workspace = Annotated[
    str,
    typer.Option(
        callback=_workspace,
        help=r"The workspace; nothing crosses it \[default: the one that FLETCHER_TOKEN opens, else local]",
        show_default=False,
    ),
]


def in_utf8(value: str | None) -> str | None:
    """What was typed, as callback of an argument or option; bytes that are no UTF-8 are wrong usage."""
    if value is not None and not is_storable(value):
        raise typer.BadParameter(f"{printable(value)} is not UTF-8. Set the terminal to UTF-8, and type it again.")
    return value


Project = Annotated[str, typer.Option(help="The project's id, the number Arrow sends")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value on standard output")]
SceneId = Annotated[
    int | None, typer.Option("--scene", help=r"The open scene \[default: the one of the project's entry]")
]
Selected = Annotated[str, typer.Option("--select", metavar="ID,ID", help="Ids of the selected nodes")]
ArrowFile = Annotated[Path, typer.Argument(metavar="FILE.arrow", help="An Arrow project", show_default=False)]


def settings_for(data_dir: Path | None, workspace: str) -> Settings:
    """The settings of a command that needs no project; a workspace that cannot be one is wrong usage."""
    key_of(workspace, "1")
    return load_settings(data_dir=data_dir)


def key_of(workspace: str, project: str) -> ProjectKey:
    """The project that the options name; an id that cannot be one is wrong usage."""
    try:
        return ProjectKey(workspace, project)
    except InvalidName as error:
        raise typer.BadParameter(error.message) from error


def node_ids(selected: str) -> tuple[int, ...]:
    """The ids of `--select 12,15`."""
    try:
        return tuple(int(part) for part in selected.split(",") if part.strip())
    except ValueError as error:
        raise typer.BadParameter(
            f"--select takes node ids separated by commas, such as 12,15; not {selected!r}."
        ) from error
