"""The command on the folder that belongs to a project."""

import os
from pathlib import Path
from typing import Annotated

import typer

from fletcher import console
from fletcher.api import Api
from fletcher.documents import link as linked_to
from fletcher.options import AsJson, DataDir, Project, Workspace, key_of
from fletcher.settings import load_settings
from ingest import counted

Folder = Annotated[
    Path | None,
    typer.Argument(metavar="[FOLDER]", help="The folder; without one, the linked folder is shown", show_default=False),
]
Unlink = Annotated[bool, typer.Option("--unlink", help="Forget the linked folder; its documents stay")]


def link(
    project: Project,
    folder: Folder = None,
    unlink: Unlink = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Make a folder the project's: its documents are read, and kept in step while `fletcher serve` runs."""
    key = key_of(workspace, project)
    if unlink and folder is not None:
        raise typer.BadParameter("--unlink needs no folder: a project has only one.")

    with Api(load_settings(data_dir=data_dir), key, embeds=folder is not None) as api:
        if folder is None:
            report = api.ask("DELETE" if unlink else "GET", "folder")
        else:
            with console.waiting("Reading the folder"):
                report = linked_to(api, Path(os.path.realpath(folder)))
    if as_json:
        console.print_json(report)
        return
    path, number = report["path"], counted(len(report["documents"]), "document")
    if unlink:
        console.out.print(f"Unlinked {path}. Its {number} stay in project {project}.", markup=False)
    elif folder is None:
        console.out.print(f"{path} is linked to project {project}: {number}.", markup=False)
    else:
        console.print_documents(report["documents"])
        console.out.print(f"{path} is linked, and kept in step while 'fletcher serve' runs.", markup=False)
    if report["problem"] is not None:
        console.out.print(report["problem"]["message"], markup=False, style="yellow")
