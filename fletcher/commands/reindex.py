"""The command that makes anew what is derived: all vectors, and a lost catalog from the originals."""

import time
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

_TRIED = 16  # passages, by which the time is estimated
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
        passages = sum(document.passages for key in keys for document in parts.catalog.documents(key))
        console.err.print(_what_it_takes(parts, keys, passages), markup=False)
        _reindex(parts.retriever, keys)
    if as_json:
        vectors = {"projects": len(keys), "passages": passages, "model": parts.embedder.name}
        console.print_json(vectors | ({"restored": restored.as_dict()} if restored else {}))
    else:
        if restored:
            _print_restored(restored)
        console.out.print(f"{_counted(passages, 'passage')} of {_counted(len(keys), 'project')} have new vectors.")


def _what_it_takes(parts: Parts, keys: list[ProjectKey], passages: int) -> str:
    """Said before anything is forgotten; a model that cannot be used ends it here.

    Raises:
        EmbeddingModelUnavailable: The model cannot be used.
    """
    embedder = parts.embedder
    what = f"{_counted(passages, 'passage')} of {_counted(len(keys), 'project')} with {embedder.name!r}"
    recorded = parts.catalog.embedding_model()
    if recorded is not None and recorded[0] == embedder.name:
        return f"Writing the vectors of {what} again: those of known texts are kept."
    first = next((some for key in keys if (some := parts.catalog.passages(key))), [])[:_TRIED]
    if not first:
        return f"Embedding {what}."
    embedder.embed_passages([first[0].embedding_text])  # loads it
    started = time.perf_counter()
    embedder.embed_passages([passage.embedding_text for passage in first])
    seconds = (time.perf_counter() - started) / len(first) * passages
    return f"Embedding {what} ({embedder.dimension} dimensions): about {_duration(seconds)}."


def _duration(seconds: float) -> str:
    return _counted(round(seconds), "second") if seconds < 100 else _counted(round(seconds / 60), "minute")


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
    for entry in restored.missing:
        gone = f"{entry.name} of project {entry.key.project_id!r} has no original any more: ingest it again."
        console.out.print(gone, style="yellow", markup=False)


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
