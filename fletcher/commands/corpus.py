"""Commands on a project's documents: documents, remove, search."""

from typing import Annotated

import typer

from fletcher import console
from fletcher.corpus import remove_document, with_corpus
from fletcher.options import AsJson, DataDir, Project, Workspace, key_of
from fletcher.settings import load_settings


def documents(
    project: Project, as_json: AsJson = False, data_dir: DataDir = None, workspace: Workspace = "local"
) -> None:
    """List what is in a project's corpus."""
    key = key_of(workspace, project)
    listed = with_corpus(load_settings(data_dir=data_dir), lambda corpus: corpus.documents(key))
    if as_json:
        console.print_json({"documents": [document.as_dict() for document in listed]})
    else:
        console.out.print(console.document_table(listed))


def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The document's name or id", show_default=False)],
    project: Project,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Remove a document from a project's corpus. It is gone from search at once."""
    removed = remove_document(load_settings(data_dir=data_dir), key_of(workspace, project), name)
    if as_json:
        console.print_json({"documents": [removed.as_dict()]})
    else:
        console.out.print(f"Removed {removed.name}.", markup=False)


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for", show_default=False)],
    project: Project,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many passages")] = 8,
    document: Annotated[str | None, typer.Option(help="Only in this document, by name or id")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Find the passages that matter, ranked, with document and page."""
    key = key_of(workspace, project)
    with console.waiting("Searching"):
        found = with_corpus(load_settings(data_dir=data_dir), lambda corpus: corpus.search(key, query, k, document))
    if as_json:
        console.print_json(found.as_dict())
    else:
        console.print_found(found)
