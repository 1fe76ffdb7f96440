"""A project's documents over the API: sent, kept in step, removed."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from corpora import DocumentNotFound, DocumentOfFolder, FolderNotFound, ProjectNotFound
from fletcher.api import Answer, Api, Connection, OwnerRefusal, Telling
from ingest import DocumentReport, Problem, Progress, ProgressListener

if TYPE_CHECKING:
    from ingest import Refusal, Source

# Refusals of whatever we would send: no entry of a report could say more than that one sentence.
_OF_EVERY_REQUEST = (403, 503)
# What is sent in one request: so much that a thousand notes take no thousand requests.
_MOST_BYTES = 8 * 2**20
_MOST_DOCUMENTS = 64
_ESCAPED = frozenset('"\\')  # in the file names of forms


def ingest(
    api: Api,
    sources: Collection[Source | Refusal],
    *,
    sync: bool,
    gone: Collection[str] = (),
    progress: ProgressListener,
) -> Answer:
    """Adds documents until their vectors are complete, and reports as `POST …/corpus` does.

    Args:
        api: The project.
        sources: What is there.
        sync: Remove the documents that `sources` lacks, but for those of the linked folder.
        gone: These are removed in any case.
        progress: Hears how far it is.
    """
    from ingest import Given  # it knows every format, which takes a while

    started, given = perf_counter(), Given()
    before = {entry["name"]: entry for entry in _documents(api)}
    sent: list[Answer] = []
    for batch in _batches(map(given.admit, sources)):
        sent += _sent(api, batch, _listener(progress, len(sent), len(sources)))
        progress(Progress("", "done", len(sent), len(sources)))
    reports = _settled(api, sent, before, progress)
    removed = [before[name] for name in sorted(gone) if name in before]
    if sync:
        removed += [entry for entry in _documents(api) if given.lacks(entry["name"])]
    reports += _removed(api, removed)
    return {"project": api.key.project_id, "documents": reports, "seconds": round(perf_counter() - started, 3)}


def link(api: Api, folder: Path) -> Answer:
    """Makes the folder the project's, and waits until its documents have their vectors."""
    before = {entry["name"]: entry for entry in _documents(api)}
    linked = api.ask("PUT", "folder", json={"path": str(folder)})
    return linked | {"documents": _settled(api, linked["documents"], before, _nobody)}


def remove(connection: Connection, name_or_id: str) -> Answer:
    """Takes one document out, once: an owner that ended may have done so before it could say it."""
    told: Answer | None = None

    def work(api: Api) -> Answer:
        nonlocal told
        found = next((entry for entry in _documents(api) if name_or_id in (entry["id"], entry["name"])), None)
        if found is None and told is not None:
            return told
        told = found and found | {"status": "removed"}
        return _remove(api, found["id"] if found else name_or_id)

    return connection.do(work)


def removable(api: Api) -> set[str]:
    """The names of the documents that a `sync` of nothing would remove: all but those of the linked folder."""
    linked = _or_nothing(lambda: api.ask("GET", "folder")["documents"], FolderNotFound.code)
    return {entry["name"] for entry in _documents(api)} - {entry["name"] for entry in linked}


def _documents(api: Api) -> list[Answer]:
    return _or_nothing(lambda: api.ask("GET", "documents")["documents"], ProjectNotFound.code)


def _or_nothing(ask: Callable[[], list[Answer]], unless: str) -> list[Answer]:
    try:
        return ask()
    except OwnerRefusal as refusal:
        if refusal.code != unless:
            raise
        return []


def _batches(entries: Iterable[Source | DocumentReport]) -> Iterator[list[Source | DocumentReport]]:
    batch: list[Source | DocumentReport] = []
    room = _MOST_BYTES
    for entry in entries:
        size = 0 if isinstance(entry, DocumentReport) else len(entry.data)
        if batch and (size > room or len(batch) == _MOST_DOCUMENTS):
            yield batch
            batch, room = [], _MOST_BYTES
        batch.append(entry)
        room -= size
    if batch:
        yield batch


def _sent(api: Api, batch: list[Source | DocumentReport], tell: Telling) -> list[Answer]:
    """The reports on all of a batch, of which some were there before it was sent."""
    sources = [entry for entry in batch if not isinstance(entry, DocumentReport)]
    added = iter(_added(api, sources, tell) if sources else ())
    return [entry.as_dict() if isinstance(entry, DocumentReport) else next(added) for entry in batch]


def _added(api: Api, sources: list[Source], tell: Telling) -> list[Answer]:
    try:
        return api.follow("corpus", tell, **_body(sources))["documents"]
    except OwnerRefusal as refusal:
        if refusal.status in _OF_EVERY_REQUEST:
            raise
        if len(sources) > 1:  # one of them may be the reason
            return [report for source in sources for report in _added(api, [source], tell)]
        name = sources[0].name
        return [DocumentReport(name, "failed", error=Problem(refusal.code, f"{name}: {refusal}")).as_dict()]


def _body(sources: Iterable[Source]) -> dict[str, Any]:
    """As a form, which takes more; but its file names cannot have every character."""
    if all(source.name.isprintable() and not _ESCAPED & set(source.name) for source in sources):
        return {"files": [("files", (source.name, source.data)) for source in sources]}
    documents = [{"name": source.name, "content_base64": base64.b64encode(source.data).decode()} for source in sources]
    return {"json": {"documents": documents}}


def _listener(progress: ProgressListener, sent: int, total: int) -> Telling:
    """Tells of a batch as of a part of all that is sent."""

    def tell(_name: str, data: Answer) -> None:
        event = Progress(**data)
        if event.phase == "embedding":
            progress(event)
        elif event.phase != "queued":
            progress(replace(event, done=sent + event.done, total=total))

    return tell


def _settled(
    api: Api, reports: Iterable[Answer], before: Mapping[str, Answer], progress: ProgressListener
) -> list[Answer]:
    """The reports once the vectors of all documents are made, with what the corpus has then."""
    api.follow("corpus", _listener(progress, 0, 0), params={"wait": "true"}, json={"documents": []})
    now = {entry["name"]: entry for entry in _documents(api)}
    return [
        now.get(report["name"], report) | {"status": _status(report, before, now), "error": report["error"]}
        for report in reports
    ]


def _status(report: Answer, before: Mapping[str, Answer], now: Mapping[str, Answer]) -> str:
    name, status = report["name"], report["status"]
    if status != "searchable" or name not in now or now[name]["status"] == "searchable":
        return status
    return "updated" if name in before and before[name]["status"] == "indexed" else "indexed"


def _removed(api: Api, entries: Iterable[Answer]) -> Iterator[Answer]:
    """Those that are taken out: not the linked folder's, and not what has gone meanwhile."""
    for entry in entries:
        try:
            yield _remove(api, entry["id"])
        except OwnerRefusal as refusal:
            if refusal.code not in (DocumentOfFolder.code, DocumentNotFound.code):
                raise


def _remove(api: Api, name_or_id: str) -> Answer:
    return api.ask("DELETE", f"documents/{quote(name_or_id, safe='')}")["documents"][0]


def _nobody(_: Progress) -> None:
    """Whom progress is told that is not shown."""
