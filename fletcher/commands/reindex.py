"""The command that makes all vectors anew."""

from collections.abc import Iterable
from typing import Annotated

import typer

from corpora import ProjectKey
from fletcher import console
from fletcher.corpus import open_alone
from fletcher.options import AsJson, DataDir
from fletcher.settings import load_settings
from retrieval import Retriever

_ALONE = "All vectors can be made anew only while nobody uses them."


def reindex(
    as_json: AsJson = False,
    data_dir: DataDir = None,
    _workspace: Annotated[
        str, typer.Option("--workspace", help="Changes nothing here: all workspaces share one index")
    ] = "local",
) -> None:
    """Make the vectors of all projects anew from the catalog, with the embedding model that is set."""
    settings = load_settings(data_dir=data_dir)
    with open_alone(settings, _ALONE, changes_vectors=True) as (parts, _):
        keys = parts.catalog.every_project()
        _reindex(parts.retriever, keys)
        passages = sum(document.passages for key in keys for document in parts.catalog.documents(key))
    if as_json:
        console.print_json({"projects": len(keys), "passages": passages, "model": parts.embedder.name})
    else:
        console.out.print(f"{_counted(passages, 'passage')} of {_counted(len(keys), 'project')} have new vectors.")


def _reindex(retriever: Retriever, keys: list[ProjectKey]) -> None:
    with console.bars() as bars:
        projects = bars.add_task("Projects", total=len(keys))
        vectors = bars.add_task("Embedding", total=None, visible=False)

        def each() -> Iterable[ProjectKey]:
            for key in keys:
                bars.update(vectors, visible=False)
                yield key
                bars.advance(projects)

        def embedded(done: int, total: int) -> None:
            bars.update(vectors, completed=done, total=total, visible=True)

        retriever.reindex(each(), embedded)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
