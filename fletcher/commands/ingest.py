"""The command that reads documents into a corpus."""

from pathlib import Path
from typing import Annotated

import typer

from fletcher import console, documents
from fletcher.api import Api
from fletcher.errors import CommandError
from fletcher.options import AsJson, DataDir, Project, Workspace, key_of
from fletcher.settings import load_settings
from fletcher.termination import Terminated
from fletcher.watched_ingest import ingest_and_watch
from fletcher.wiring import folder_roots
from ingest import Scan, counted, scan

Paths = Annotated[
    list[Path],
    typer.Argument(metavar="PATH", help="Files or folders, read recursively", show_default=False),
]
Watched = Annotated[bool, typer.Option("--watch", help="Stay, and go on with whatever changes, until Ctrl-C")]
Sync = Annotated[
    bool,
    typer.Option(
        "--sync",
        help="Also remove all documents that the folder does not have, uploads too, but not those of the linked folder",
    ),
]


def ingest(
    paths: Paths,
    project: Project,
    sync: Sync = False,
    watch: Watched = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Read design documents into a project's corpus. Waits until they are found by meaning too."""
    key = key_of(workspace, project)
    settings = load_settings(data_dir=data_dir)
    roots = folder_roots(settings)
    for path in paths:  # what Fletcher keeps is of all workspaces
        roots.require_apart(path)
    scans = [(path, scan(path)) for path in paths]
    sources = Scan.of(found for _, found in scans)
    folders = [(path, found) for path, found in scans if sync and path.is_dir()]
    if sync:
        if not folders:
            raise typer.BadParameter("--sync removes what is gone from a folder, so it needs a folder among PATH...")
        if empty := [path for path, found in folders if found.is_empty]:
            with Api(settings, key) as api:
                _require_nothing_to_lose(api, empty[0], sources)
    if watch:
        ingest_and_watch(settings, key, paths, sync=sync, as_json=as_json)
        return

    try:
        with Api(settings, key, embeds=True) as api, console.ingest_progress() as progress:
            read = [found for _, found in folders]
            report = documents.ingest(api, sources, sync=sync, folders=read, progress=progress)
    except (KeyboardInterrupt, Terminated):
        console.err.print("Stopped; what was read is searchable, and the same command does the rest.")
        raise
    if as_json:
        console.print_json(report)
    else:
        console.print_report(report)
    statuses = {entry["status"] for entry in report["documents"]}
    if statuses and statuses <= {"failed", "skipped"}:
        raise CommandError("Nothing could be read.")
    if "failed" in statuses:
        raise typer.Exit(1)


def _require_nothing_to_lose(api: Api, folder: Path, sources: Scan) -> None:
    """The rule of linked folders: an empty place is not believed while there are documents that it would remove."""
    if lost := sorted(documents.removable(api).keys() - sources.names):
        number, project = counted(len(lost), "document"), api.key.project_id
        raise CommandError(
            f"{folder}: nothing in this folder can be read, as if a drive had been taken out, and --sync would remove "
            f"{number} of project {project}, such as {lost[0]!r}. Nothing was changed. Check the folder; what shall go "
            f"in spite of it, remove with 'fletcher remove NAME --project {project}'."
        )
