"""Commands on a project's documents: documents, remove, search."""

from typing import Annotated

import typer

from fletcher import console
from fletcher.api import Api
from fletcher.documents import remove as removed_from
from fletcher.options import AsJson, DataDir, Project, Workspace, in_utf8, key_of
from fletcher.settings import load_settings


def documents(
    project: Project, as_json: AsJson = False, data_dir: DataDir = None, workspace: Workspace = "local"
) -> None:
    """List what is in a project's corpus."""
    with Api(load_settings(data_dir=data_dir), key_of(workspace, project)) as api:
        listed = api.ask("GET", "documents")
    if as_json:
        console.print_json(listed)
    else:
        console.out.print(console.document_table(listed["documents"]))


def remove(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", callback=in_utf8, help="The document's name or id", show_default=False),
    ],
    project: Project,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Remove a document from a project's corpus. It is gone from search at once."""
    with Api(load_settings(data_dir=data_dir), key_of(workspace, project)) as api:
        removed = removed_from(api, name)
    if as_json:
        console.print_json({"documents": [removed]})
    else:
        console.out.print(f"Removed {removed['name']}.", markup=False)


def search(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", callback=in_utf8, help="What to look for", show_default=False)
    ],
    project: Project,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many passages")] = 8,
    document: Annotated[str | None, typer.Option(callback=in_utf8, help="Only in this document, by name or id")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Find the passages that matter, ranked, with document and page."""
    settings, key = load_settings(data_dir=data_dir), key_of(workspace, project)
    params = {"q": query, "k": k} | ({"document": document} if document else {})
    with console.waiting("Searching"), Api(settings, key) as api:
        found = api.ask("GET", "search", params=params)
    if as_json:
        console.print_json(found)
    else:
        console.print_found(found)
