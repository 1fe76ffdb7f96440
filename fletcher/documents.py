"""A project's documents over the API: sent, kept in step, removed."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import quote

from corpora import DocumentNotFound, FolderNotFound, ProjectNotFound
from fletcher.api import Answer, Api, Listener, OwnerRefusal
from ingest import DocumentReport, Problem, Progress, ProgressListener, replaces_all

if TYPE_CHECKING:
    from ingest import Refusal, Scan, Source

# Refusals of which a single document may be the reason: too large, too slow, with a name that cannot be one.
_OF_A_DOCUMENT = (400, 408, 413, 422, 500)
# What is sent in one request, whose vectors are made before the next one: few requests, and a bar that moves.
_MOST_BYTES = 16 * 2**20
_MOST_DOCUMENTS = 256
_ESCAPED = frozenset('"\\')  # in the file names of forms


def ingest(
    api: Api,
    sources: Collection[Source | Refusal],
    *,
    sync: bool,
    folders: Collection[Scan] = (),
    gone: Collection[str] = (),
    progress: ProgressListener,
) -> Answer:
    """Adds documents until their vectors are complete, and reports as `POST …/corpus` does.

    Args:
        api: The project.
        sources: What is there.
        sync: Remove the documents that are there and `sources` lacks, but for those of the linked folder.
        folders: Where no document of one of these was taken in, nothing is removed.
        gone: These are removed in any case.
        progress: Hears how far it is.
    """
    from ingest import Given  # it knows every format, which takes a while

    started, given, reports = perf_counter(), Given(), list[Answer]()
    before = set(removable(api)) if sync else set[str]()  # what others add meanwhile stays
    for batch in _batches(map(given.admit, sources)):
        reports += _sent(api, batch, partial(_tell, progress, len(reports), len(sources)))
        progress(Progress("", "done", len(reports), len(sources)))
    now = {entry["name"]: entry for entry in _listed(api, "documents")}
    # Of what was refused before it was sent, an older version stays.
    reports = [now.get(each["name"], each) | {"status": each["status"], "error": each["error"]} for each in reports]
    failures = {each["name"]: each["error"] and each["error"]["code"] for each in reports}
    taken = {name for name, code in failures.items() if code is None}
    if not replaces_all(failures.values()) or any(folder.names.isdisjoint(taken) for folder in folders):
        before.clear()
    leaving = (
        entry for name, entry in removable(api).items() if name in gone or (name in before and given.lacks(name))
    )
    reports += [_take_out(api, entry) for entry in leaving]
    return {"project": api.key.project_id, "documents": reports, "seconds": round(perf_counter() - started, 3)}


def link(api: Api, folder: Path) -> Answer:
    """Makes the folder the project's, and waits until its documents have their vectors."""
    linked = api.ask("PUT", "folder", json={"path": str(folder)})
    _add(api, [])
    now = {entry["name"]: entry for entry in _listed(api, "folder")}
    documents = linked["documents"]
    return linked | {"documents": [now.get(d["name"], d) if d["status"] == "searchable" else d for d in documents]}


def remove(api: Api, name_or_id: str) -> Answer:
    """Takes one document out, once: an owner that ended may have done so before it could say it."""
    found = next((entry for entry in _listed(api, "documents") if name_or_id in (entry["id"], entry["name"])), None)
    return _take_out(api, found or {"id": name_or_id})


def removable(api: Api) -> dict[str, Answer]:
    """The documents that a `sync` of nothing would remove, by name: all but those of the linked folder."""
    kept = {entry["name"] for entry in _listed(api, "folder")}
    return {entry["name"]: entry for entry in _listed(api, "documents") if entry["name"] not in kept}


def _take_out(api: Api, entry: Answer) -> Answer:
    try:
        return api.ask("DELETE", f"documents/{quote(entry['id'], safe='')}")["documents"][0]
    except OwnerRefusal as refusal:
        if "name" not in entry or refusal.code != DocumentNotFound.code:
            raise
        return entry | {"status": "removed"}


def _listed(api: Api, path: str) -> list[Answer]:
    try:
        return api.ask("GET", path)["documents"]
    except OwnerRefusal as refusal:
        if refusal.code not in (ProjectNotFound.code, FolderNotFound.code):
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


def _sent(api: Api, batch: list[Source | DocumentReport], listen: Listener) -> list[Answer]:
    """The reports on all of a batch, of which some were there before it was sent."""
    sources = [entry for entry in batch if not isinstance(entry, DocumentReport)]
    added = iter(_added(api, sources, listen) if sources else ())
    return [entry.as_dict() if isinstance(entry, DocumentReport) else next(added) for entry in batch]


def _added(api: Api, sources: list[Source], listen: Listener) -> list[Answer]:
    try:
        return _add(api, sources, listen)
    except OwnerRefusal as refusal:
        if refusal.status not in _OF_A_DOCUMENT:
            raise
        if len(sources) > 1:
            return [report for source in sources for report in _added(api, [source], listen)]
        name = sources[0].name
        return [DocumentReport(name, "failed", error=Problem(refusal.code, f"{name}: {refusal}")).as_dict()]


def _add(api: Api, sources: list[Source], listen: Listener | None = None) -> list[Answer]:
    """The reports once all vectors are made."""
    # A form takes more, but its file names cannot have every character.
    if sources and all(source.name.isprintable() and not _ESCAPED & set(source.name) for source in sources):
        body: Answer = {"files": [("files", (source.name, source.data)) for source in sources]}
    else:
        each = [{"name": source.name, "content_base64": base64.b64encode(source.data).decode()} for source in sources]
        body = {"json": {"documents": each}}
    return api.ask("POST", "corpus", listen, params={"wait": "true"}, **body)["documents"]


def _tell(progress: ProgressListener, sent: int, total: int, _name: str, data: Answer) -> None:
    """Tells of a batch as of a part of all that is sent."""
    event = Progress(**data)
    progress(event if event.phase == "embedding" else replace(event, done=sent + event.done, total=total))
