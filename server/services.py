"""What the routes and sessions of one server share."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent import Assistant, ConfirmationPolicy, Pending
from arrow_project import Operation
from corpora import Catalog
from ingest import Ingestor
from retrieval import Retriever
from server.embedding import EmbeddingWorker

_STRICTNESS: tuple[ConfirmationPolicy, ...] = ("never", "destructive", "always")


@dataclass(frozen=True)
class Limits:
    """How much one client may ask of the server.

    Attributes:
        message_bytes: The longest socket message.
        upload_bytes: The longest body of an HTTP request.
        call_timeout_s: How long an editor may take for one function call.
    """

    message_bytes: int = 64 * 2**20
    upload_bytes: int = 256 * 2**20
    call_timeout_s: float = 30.0


@dataclass(frozen=True)
class Services:
    """The parts of a running Fletcher, wired by the front door."""

    catalog: Catalog
    retriever: Retriever
    ingestor: Ingestor
    assistant: Assistant
    embedding: EmbeddingWorker
    confirm: ConfirmationPolicy = "destructive"
    limits: Limits = Limits()


class CatalogPendings:
    """The catalog's pending rows of one project, as a turn uses them."""

    def __init__(self, catalog: Catalog, workspace: str, project_id: str) -> None:
        self._catalog = catalog
        self._workspace = workspace
        self._project_id = project_id

    def put(self, kind: str, operations: Sequence[Operation], content_sha256: str) -> str:
        """Keeps the operations that a yes would execute."""
        payload = {"operations": [{"function": o.function, "arguments": dict(o.arguments)} for o in operations]}
        return self._catalog.put_pending(self._workspace, self._project_id, kind, payload, content_sha256)

    def take(self, pending_id: str) -> Pending | None:
        """Hands a pending out once; None for an unknown id and for one of another project."""
        found = self._catalog.pop_pending(self._workspace, self._project_id, pending_id)
        if found is None:
            return None
        operations = tuple(Operation(o["function"], o["arguments"]) for o in found.payload["operations"])
        return Pending(found.id, found.kind, operations, found.content_sha256)


def stricter(operator: ConfirmationPolicy, requested: ConfirmationPolicy | None) -> ConfirmationPolicy:
    """The policy for a request: it may ask more often than the operator wants, never less."""
    if requested is None or _STRICTNESS.index(requested) < _STRICTNESS.index(operator):
        return operator
    return requested
