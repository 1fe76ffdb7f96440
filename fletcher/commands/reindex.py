"""The command that makes anew what is derived: all vectors, and a lost catalog from the originals."""

from collections.abc import Iterable
from typing import Annotated

import typer

from corpora import DataDirectory, ProjectKey
from fletcher import console
from fletcher.errors import CommandError
from fletcher.options import AsJson, DataDir
from fletcher.owner import open_alone
from fletcher.settings import Settings, load_settings
from fletcher.wiring import Parts
from ingest import Restored, restore
from retrieval import Retriever

_ALONE = "All vectors can be made anew only while nobody uses them."


def reindex(
    as_json: AsJson = False,
    data_dir: DataDir = None,
    _workspace: Annotated[
        str, typer.Option("--workspace", help="Changes nothing here: all workspaces share one index")
    ] = "local",
    from_originals: Annotated[
        bool, typer.Option("--from-originals", help="First bring documents back that a lost catalog does not know")
    ] = False,
) -> None:
    """Make the vectors of all projects anew from the catalog, with the embedding model that is set."""
    settings = load_settings(data_dir=data_dir)
    with open_alone(settings, _ALONE, changes_vectors=True) as (parts, _):
        restored = _restored(settings, parts) if from_originals else None
        keys = parts.catalog.every_project()
        _reindex(parts.retriever, keys)
        passages = sum(document.passages for key in keys for document in parts.catalog.documents(key))
    if as_json:
        vectors = {"projects": len(keys), "passages": passages, "model": parts.embedder.name}
        console.print_json(vectors | ({"restored": restored.as_dict()} if restored else {}))
    else:
        if restored:
            _print_restored(restored)
        console.out.print(f"{_counted(passages, 'passage')} of {_counted(len(keys), 'project')} have new vectors.")


def _restored(settings: Settings, parts: Parts) -> Restored:
    if settings.is_shared:
        raise CommandError(
            "--from-originals needs a data directory: these originals are in the database that has the catalog, and "
            "lost with it. Restore a backup of that database."
        )
    with console.ingest_progress() as progress:
        return restore(parts.catalog, DataDirectory(settings.data_dir).originals, parts.ingestor, progress)


def _print_restored(restored: Restored) -> None:
    console.print_documents([report.as_dict() for _, report in restored.documents], " brought back")
    if restored.nameless:
        files = f"{_counted(restored.nameless, 'original')} cannot be named and"
        console.out.print(f"{files} stayed as they are: ingest their documents again.", style="yellow")


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
