"""A corpus whose data directory another process owns: the same commands, over its HTTP API."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from corpora import DocumentNotFound, DocumentOfFolder, Owner, Passage, ProjectKey, ProjectNotFound
from fletcher.errors import CommandError
from ingest import (
    DocumentReport,
    FolderReport,
    IngestReport,
    Problem,
    Progress,
    ProgressListener,
)
from retrieval import RankedPassage, SearchAnswer

if TYPE_CHECKING:
    from ingest import Refusal, Source

# Embedding a long document takes minutes on a small machine, and an answer comes when it is done.
_TIMEOUT = httpx.Timeout(10, read=3600, write=600)
_WORKSPACE_HEADER = "X-Fletcher-Workspace"
# Refusals of whatever we would send: no entry of a report could say more than that one sentence.
_OF_EVERY_REQUEST = (403, 503)
_JSON_BYTES = 2**19  # of a document that is sent as JSON, if its name can be that of a file in a form
_ESCAPED = frozenset('"\\')  # in the file names of forms
_UNAUTHORIZED = 401  # our key is not the key of who answers now


class OwnerGone(CommandError):
    """The owner does not answer any more: the work can be done again, by whoever owns the directory next.

    Attributes:
        removing: The document that the owner was told to remove; whether it did so is not known.
    """

    removing: DocumentReport | None = None


class OwnerRefusal(CommandError):
    """The owner answered that it will not; `code` is the API's."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class RemoteCorpus:
    """Talks to the owner of a data directory; a context manager that closes its connections."""

    def __init__(self, owner: Owner) -> None:
        self._pid = owner.pid
        self._client = httpx.Client(
            base_url=owner.url or "",
            headers={"Authorization": f"Bearer {owner.key}"},
            timeout=_TIMEOUT,
            trust_env=False,
        )

    def __enter__(self) -> RemoteCorpus:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def ingest(
        self,
        key: ProjectKey,
        sources: Collection[Source | Refusal],
        *,
        sync: bool,
        gone: Collection[str] = (),
        progress: ProgressListener,
    ) -> IngestReport:
        """One request per document, so that progress is seen; a document is complete when it is answered."""
        from ingest import Given, Refusal, Source  # these know every format

        reports: list[DocumentReport] = []
        given, started = Given(), perf_counter()
        known = {document.name: document for document in self._documents_or_none(key)}
        for done, entry in enumerate(sources):
            admitted = given.admit(entry)
            if isinstance(admitted, Source):
                progress(Progress(admitted.name, "reading", done, len(sources)))
                report = self._add(key, admitted, known.get(admitted.name))
            else:
                report = _kept(admitted, known.get(admitted.name)) if isinstance(entry, Refusal) else admitted
            reports.append(report)
            progress(Progress(report.name, "done", done + 1, len(sources)))
        removed = [known[name] for name in sorted(gone) if name in known]
        if sync:
            removed += [document for document in self._documents_or_none(key) if given.lacks(document.name)]
        reports.extend(self._deleted(key, removed))
        return IngestReport(key.project_id, tuple(reports), perf_counter() - started)

    def documents(self, key: ProjectKey) -> list[DocumentReport]:
        """What is in the corpus."""
        return [_report(entry) for entry in self._request("GET", key, "documents")["documents"]]

    def remove(self, key: ProjectKey, document: str) -> DocumentReport:
        """Takes one document out, by name or id."""
        listed = self.documents(key)
        found = next((entry for entry in listed if document in (entry.id, entry.name)), None)
        return self._delete(key, found or DocumentReport(document, "removed"))

    def search(self, key: ProjectKey, query: str, k: int, document: str | None) -> SearchAnswer:
        """Ranked passages, and pages that could not be looked at."""
        params = {"q": query, "k": k} | ({"document": document} if document else {})
        answer = self._request("GET", key, "search", params=params)
        pages = {entry["document"]: tuple(entry["pages"]) for entry in answer.get("pages_without_text", ())}
        found = tuple(_ranked(entry) for entry in answer["passages"])
        return SearchAnswer(query, found, pages, answer["confidence"], answer.get("text_only", False))

    def link(self, key: ProjectKey, folder: Path) -> FolderReport:
        """Links the folder; the owner tells when it has read it."""
        return _folder(self._request("PUT", key, "folder", json={"path": str(folder)}))

    def folder(self, key: ProjectKey) -> FolderReport:
        """The linked folder."""
        return _folder(self._request("GET", key, "folder"))

    def unlink(self, key: ProjectKey) -> FolderReport:
        """Unlinks the folder."""
        return _folder(self._request("DELETE", key, "folder"))

    def staying(self) -> AbstractContextManager[None]:
        """The owner answers others anyway."""
        return nullcontext()

    def turn(self, key: ProjectKey, body: dict[str, Any]) -> dict[str, Any]:
        """One turn on the story in `body`."""
        return self._request("POST", key, "turns", json=body)

    def streamed_turn(
        self, key: ProjectKey, body: dict[str, Any], tell: Callable[[str, dict[str, Any]], None]
    ) -> dict[str, Any]:
        """The same; `tell` hears the names and the data of its events while it runs, and whoever raises stops it."""
        options: dict[str, Any] = {"headers": _headers(key) | {"Accept": "text/event-stream"}, "json": body}
        with self._checked(), self._client.stream("POST", _path(key, "turns"), **options) as response:
            if response.is_error:
                response.read()
                raise _refusal(response)
            for name, data in _events(response.iter_lines()):
                if name == "answer":
                    return data
                if name == "error":
                    raise OwnerRefusal(response.status_code, data["error"]["code"], data["error"]["message"])
                tell(name, data)
        raise OwnerGone(self._silent("it broke off"))

    def _add(self, key: ProjectKey, source: Source, known: DocumentReport | None) -> DocumentReport:
        try:
            answer = self._request("POST", key, "corpus", params={"wait": "true"}, **_body(source))
        except OwnerRefusal as refusal:
            if refusal.status in _OF_EVERY_REQUEST:
                raise
            problem = Problem(refusal.code, f"{source.name}: {refusal}")
            return _kept(DocumentReport(source.name, "failed", error=problem), known)
        except OwnerGone:
            self._documents_or_none(key)  # raises the same if it is gone
            # It hung up in the midst of the request, and its answer was lost: it takes no request so long.
            message = f"{source.name}: the server hung up; the file may be too big for its FLETCHER_MAX_UPLOAD_BYTES."
            return _kept(DocumentReport(source.name, "failed", error=Problem("PAYLOAD_TOO_LARGE", message)), known)
        return _report(answer["documents"][0])

    def _deleted(self, key: ProjectKey, documents: Iterable[DocumentReport]) -> Iterator[DocumentReport]:
        """Those of the documents that are taken out: not the linked folder's, and not what has gone meanwhile."""
        for document in documents:
            try:
                yield self._delete(key, document)
            except OwnerRefusal as refusal:
                if refusal.code not in (DocumentOfFolder.code, DocumentNotFound.code):
                    raise

    def _delete(self, key: ProjectKey, document: DocumentReport) -> DocumentReport:
        try:
            answer = self._request("DELETE", key, f"documents/{quote(document.id or document.name, safe='')}")
        except OwnerGone as gone:
            gone.removing = replace(document, status="removed")
            raise
        return _report(answer["documents"][0])

    def _documents_or_none(self, key: ProjectKey) -> list[DocumentReport]:
        try:
            return self.documents(key)
        except OwnerRefusal as refusal:
            if refusal.code != ProjectNotFound.code:
                raise
            return []

    def _request(self, method: str, key: ProjectKey, path: str, **options: Any) -> dict[str, Any]:
        with self._checked():
            response = self._client.request(method, _path(key, path), headers=_headers(key), **options)
        if response.status_code == _UNAUTHORIZED:
            raise OwnerGone(self._silent(_refusal(response)))
        if response.is_error:
            raise _refusal(response)
        return response.json()

    @contextmanager
    def _checked(self) -> Generator[None]:
        try:
            yield
        except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
            raise OwnerGone(self._silent(error)) from error
        except httpx.HTTPError as error:
            raise CommandError(self._silent(error)) from error

    def _silent(self, error: Exception | str) -> str:
        return (
            f"Process {self._pid} owns the data directory and does not answer at {self._client.base_url}: {error}. "
            "Run the command again."
        )


def _body(source: Source) -> dict[str, Any]:
    """Larger documents as a form, which takes more of them; but its file names cannot have every character."""
    if len(source.data) > _JSON_BYTES and source.name.isprintable() and not _ESCAPED & set(source.name):
        return {"files": {"files": (source.name, source.data)}}
    return {"json": {"documents": [{"name": source.name, "content_base64": base64.b64encode(source.data).decode()}]}}


def _path(key: ProjectKey, path: str) -> str:
    return f"/projects/{quote(key.project_id, safe='')}/{path}"


def _headers(key: ProjectKey) -> dict[str, str]:
    return {_WORKSPACE_HEADER: key.workspace}


def _events(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Server-sent events by their names."""
    name = ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


def _refusal(response: httpx.Response) -> OwnerRefusal:
    try:
        error = response.json()["error"]
        return OwnerRefusal(response.status_code, error["code"], error["message"])
    except (ValueError, KeyError, TypeError):
        message = f"The owner of the data directory answered {response.status_code}."
        return OwnerRefusal(response.status_code, "REFUSED", message)


def _kept(report: DocumentReport, known: DocumentReport | None) -> DocumentReport:
    """The report on what was not read; an older version stays and is described."""
    return replace(known, status=report.status, error=report.error) if known else report


def _report(entry: dict[str, Any]) -> DocumentReport:
    error = entry["error"]
    for pages in ("pages_without_text", "pages_with_hidden_text", "pages_recognized"):
        entry[pages] = tuple(entry.get(pages, ()))
    entry["error"] = Problem(error["code"], error["message"]) if error else None
    return DocumentReport(**entry)


def _folder(entry: dict[str, Any]) -> FolderReport:
    problem = Problem(**entry["problem"]) if entry["problem"] else None
    documents = tuple(_report(document) for document in entry["documents"])
    return FolderReport(entry["project"], entry["path"], problem, documents)


def _ranked(entry: dict[str, Any]) -> RankedPassage:
    score, also_in = entry.pop("score"), tuple(entry.pop("also_in", ()))
    entry["heading"] = tuple(entry["heading"])
    return RankedPassage(Passage(**entry), score, also_in)
