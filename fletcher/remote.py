"""A corpus whose data directory another process owns: the same commands, over its HTTP API."""

from collections.abc import Collection
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from corpora import Owner, Passage, ProjectKey
from fletcher.errors import CommandError
from ingest import DocumentReport, IngestReport, Problem, Progress, ProgressListener, Refusal, Source
from retrieval import RankedPassage

if TYPE_CHECKING:
    from server import TurnBody

# Embedding a long document takes minutes on a small machine, and an answer comes when it is done.
_TIMEOUT = httpx.Timeout(10, read=3600, write=600)
_WORKSPACE_HEADER = "X-Fletcher-Workspace"


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

    def __enter__(self) -> "RemoteCorpus":
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
        progress: ProgressListener,
    ) -> IngestReport:
        """One request per document, so that progress is seen; a document is complete when it is answered."""
        reports: list[DocumentReport] = []
        seconds = 0.0
        for done, source in enumerate(sources):
            if isinstance(source, Refusal):
                reports.append(DocumentReport(source.name, source.status, error=Problem(source.code, source.message)))
                continue
            progress(Progress(source.name, "reading", done, len(sources)))
            files = {"files": (source.name, source.data)}
            answer = self._request("POST", key, "corpus", params={"wait": "true"}, files=files)
            reports.extend(_report(entry) for entry in answer["documents"])
            seconds += answer["seconds"]
            progress(Progress(source.name, "done", done + 1, len(sources)))
        if sync:
            named = {report.name for report in reports}
            gone = [document for document in self._documents_or_none(key) if document.name not in named]
            reports.extend(self.remove(key, document.id or document.name) for document in gone)
        return IngestReport(key.project_id, tuple(reports), seconds)

    def documents(self, key: ProjectKey) -> list[DocumentReport]:
        """What is in the corpus."""
        return [_report(entry) for entry in self._request("GET", key, "documents")["documents"]]

    def remove(self, key: ProjectKey, document: str) -> DocumentReport:
        """Takes one document out, by name or id."""
        known = {entry.name: entry.id for entry in self.documents(key)}
        answer = self._request("DELETE", key, f"documents/{quote(known.get(document) or document, safe='')}")
        return _report(answer["documents"][0])

    def search(self, key: ProjectKey, query: str, k: int, document: str | None) -> list[RankedPassage]:
        """Ranked passages."""
        params = {"q": query, "k": k} | ({"document": document} if document else {})
        return [_ranked(entry) for entry in self._request("GET", key, "search", params=params)["passages"]]

    def turn(self, key: ProjectKey, body: "TurnBody") -> dict[str, Any]:
        """One turn on the story in `body`."""
        return self._request("POST", key, "turns", json=body.model_dump(mode="json"))

    def _documents_or_none(self, key: ProjectKey) -> list[DocumentReport]:
        try:
            return self.documents(key)
        except CommandError:
            return []  # nothing could be read, so the project does not exist

    def _request(self, method: str, key: ProjectKey, path: str, **options: Any) -> dict[str, Any]:
        try:
            response = self._client.request(
                method,
                f"/projects/{key.project_id}/{path}",
                headers={_WORKSPACE_HEADER: key.workspace},
                **options,
            )
        except httpx.HTTPError as error:
            raise CommandError(
                f"Process {self._pid} owns the data directory and does not answer at {self._client.base_url}: {error}. "
                "Run the command again."
            ) from error
        if response.is_error:
            raise CommandError(_message(response))
        return response.json()


def _message(response: httpx.Response) -> str:
    try:
        return response.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return f"The owner of the data directory answered {response.status_code}."


def _report(entry: dict[str, Any]) -> DocumentReport:
    error = entry["error"]
    entry["pages_without_text"] = tuple(entry["pages_without_text"])
    entry["error"] = Problem(error["code"], error["message"]) if error else None
    return DocumentReport(**entry)


def _ranked(entry: dict[str, Any]) -> RankedPassage:
    score = entry.pop("score")
    entry["heading"] = tuple(entry["heading"])
    return RankedPassage(Passage(**entry), score)
