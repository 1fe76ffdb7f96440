"""What the routes and sessions of one server share."""

import base64
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from propcache import cached_property

from agent import KEPT_TURNS, Assistant, Before, ConfirmationPolicy, Origin, PendingQuestion, Threads
from arrow_project import Operation, is_within
from corpora import UNDO, Catalog, CorpusError
from corpora import Pending as StoredPending
from ingest import FolderRoots, Ingestor
from retrieval import Retriever
from server.background.embedding import EmbeddingWorker
from server.background.intake import Intake
from server.background.linked_folders import LinkedFolders
from server.document_lists import DocumentLists
from server.health import Health
from server.limits.descriptors import descriptors
from server.limits.pace import Pace
from server.limits.places import Places
from server.limits.room import Room
from server.limits.rounds import Rounds
from server.limits.shared_threads import SharedThreads
from server.limits.story_size import size_once_read
from server.limits.turn_rate import TurnRate
from server.limits.turn_room import TurnRoom
from server.limits.workspace_threads import WorkspaceThreads
from server.limits.written import HISTORY_OF_QUESTION, latest
from server.metrics import Metrics
from server.socket.editors import Editors
from server.socket.stories import StoryRoom
from server.taken import TakenAway
from server.turn_ledger import TurnLedger

_NO_FOLDER = FolderRoots(Path())
_COMPUTING_THREADS = 3
_COMPUTING_THREADS_EACH = 2  # of a workspace
_LISTING_THREADS = 3  # of a workspace one
_DRAWING_THREADS = 4  # of a workspace
_ASKING_THREADS = 16  # of a workspace
_DRIVE_THREADS = 4  # the same
_SHARE_OF_FORMS = 4  # of all descriptors
_MOST_QUESTIONS, _QUESTIONS_EACH = 100, 25  # of a workspace: half of the requests that it has over MCP
_LONGEST_QUESTION = 2_000_000  # characters and values of what a yes would do: it is written, read and shown as one
_STRICTNESS: tuple[ConfirmationPolicy, ...] = ("never", "destructive", "always")


@dataclass(frozen=True)
class Limits:
    """How much may be asked of the server.

    Attributes:
        message_bytes: The longest socket message, and body of an HTTP request without documents.
        upload_bytes: The longest body of any HTTP request, and what a socket's uploads under way may have
            together.
        json_upload_bytes: The longest JSON body with documents.
        json_bytes_under_way: What the JSON bodies of all requests, and the messages of sockets that are not whole yet,
            may have together, those of a workspace half of it.
        upload_bytes_under_way: What the forms with documents, and the documents of all sockets as they are sent, may
            have together, those of a workspace half of it.
        call_timeout_s: How long an editor may take for one function call.
        connections: Open sockets, of all clients together.
        turns_per_minute: Turns that a workspace may begin.
        hello_timeout_s: How long a socket that opened without a token may take to bring one.
        body_wait_s: How long an HTTP client may keep us waiting for its body; each 1000 bytes give it another second.
    """

    message_bytes: int = 64 * 2**20
    upload_bytes: int = 256 * 2**20
    json_upload_bytes: int = 32 * 2**20
    json_bytes_under_way: int = 128 * 2**20
    upload_bytes_under_way: int = 2**30
    call_timeout_s: float = 30.0
    connections: int = 500
    turns_per_minute: int = 600
    hello_timeout_s: float = 10.0
    body_wait_s: float = 20.0


@dataclass(frozen=True)
class Services:
    """The parts of a running Fletcher, wired by the front door."""

    catalog: Catalog
    retriever: Retriever
    ingestor: Ingestor
    assistant: Assistant
    embedding: EmbeddingWorker
    roots: FolderRoots = _NO_FOLDER
    confirm: ConfirmationPolicy = "destructive"
    limits: Limits = Limits()
    shares_database: bool = False
    is_away: Mapping[str, Callable[[], bool | None]] = field(default_factory=dict[str, Callable[[], bool | None]])

    @cached_property
    def metrics(self) -> Metrics:
        """What the server counts."""
        return Metrics(self.catalog)

    @cached_property
    def health(self) -> Health:
        """Which stores answer."""
        return Health(self.catalog, self.retriever, self.is_away)

    @cached_property
    def story_room(self) -> StoryRoom:
        """What the stories of all sockets share."""
        return StoryRoom()

    @cached_property
    def turn_room(self) -> TurnRoom:
        """What the stories share that turns work on."""
        return TurnRoom()

    @cached_property
    def editors(self) -> Editors:
        """The clients that have a story open."""
        return Editors()

    @cached_property
    def taken(self) -> TakenAway:
        """What assistants have taken away unasked."""
        return TakenAway()

    @cached_property
    def questions(self) -> Places:
        """For calls of assistants that wait for their users' answers."""
        return Places(_MOST_QUESTIONS, _QUESTIONS_EACH)

    @cached_property
    def ledger(self) -> TurnLedger:
        """Where turns are counted."""
        return TurnLedger(self.metrics, TurnRate(self.limits.turns_per_minute))

    @cached_property
    def intake(self) -> Intake:
        """Where documents are taken in."""
        return Intake(self.ingestor, self.metrics, self.embedding)

    @cached_property
    def json_room(self) -> Room:
        """What JSON has of the memory while it comes, and until it is answered: reading it takes several times that."""
        return Room(self.limits.json_bytes_under_way)

    @cached_property
    def upload_room(self) -> Room:
        """What the documents that are not taken in yet have of the disk and of the memory."""
        return Room(self.limits.upload_bytes_under_way)

    @cached_property
    def form_files(self) -> Places:
        """For files of forms that are too long for memory: open they are, and what is left is for connections."""
        return Places(descriptors() // _SHARE_OF_FORMS, descriptors() // _SHARE_OF_FORMS // 2)

    @cached_property
    def asking(self) -> WorkspaceThreads:
        """Where the stores are asked: one that hangs keeps only such threads waiting, and of a workspace only some."""
        return WorkspaceThreads("asking", _ASKING_THREADS)

    @cached_property
    def drives(self) -> WorkspaceThreads:
        """Where users' stories are read and written: whoever waits for a drive that hangs keeps no store's thread."""
        return WorkspaceThreads("drives", _DRIVE_THREADS)

    @cached_property
    def scanning(self) -> WorkspaceThreads:
        """Where folders are looked through for whoever asks: a drive may hang, and 20,000 files are computing."""
        return WorkspaceThreads("scanning", 1)

    @cached_property
    def computing(self) -> SharedThreads:
        """Where stories are read, turns are worked out, and what is large is decoded and encoded."""
        return SharedThreads("computing", _COMPUTING_THREADS, _COMPUTING_THREADS_EACH)

    @cached_property
    def listing(self) -> SharedThreads:
        """Where all documents are listed or counted: a store is asked, and of 19,000 that is a second's computing."""
        return SharedThreads("listing", _LISTING_THREADS, 1)

    @cached_property
    def lists(self) -> DocumentLists:
        """What is listed there for pages."""
        return DocumentLists(self.catalog)

    def threads_of(self, workspace: str) -> Threads:
        """Where the work of a workspace goes."""
        pools = (self.computing, self.asking, self.drives)
        compute, ask, drive = (partial(pool.run, workspace) for pool in pools)
        return Threads(compute, ask, drive, partial(self.rounds.wait, workspace))

    @cached_property
    def paces(self) -> defaultdict[str, Pace]:
        """How fast the pages of each workspace may go on."""
        return defaultdict(Pace)

    @cached_property
    def rounds(self) -> Rounds:
        """Whose message is looked at next."""
        return Rounds()

    @cached_property
    def drawing(self) -> WorkspaceThreads:
        """Where pages are drawn: whoever asks for a page that takes long keeps only such threads waiting."""
        return WorkspaceThreads("drawing", _DRAWING_THREADS)

    @cached_property
    def folders(self) -> LinkedFolders:
        """The linked folders, which are followed once they are started."""
        return LinkedFolders(self.catalog, self.intake, self.roots, shared=self.shares_database)


def _nobody(_: int) -> None:
    """Who weighs nothing."""


class QuestionTooLong(CorpusError):
    """What a yes would do says too much to be kept and shown."""

    code = "PAYLOAD_TOO_LARGE"


class CatalogPendings:
    """The catalog's pending rows of one project, as a turn uses them.

    Args:
        catalog: Keeps them.
        workspace: Whose project it is.
        project_id: Names it.
        weigh: Told how many bytes a question, or the story from before a turn, takes once it is read; may refuse it.
        by_assistant: The turn is an assistant's, and so is what it asks.
    """

    def __init__(
        self,
        catalog: Catalog,
        workspace: str,
        project_id: str,
        weigh: Callable[[int], object] = _nobody,
        *,
        by_assistant: bool = False,
    ) -> None:
        self._catalog = catalog
        self._workspace = workspace
        self._project_id = project_id
        self._weigh = weigh
        self._by_assistant = by_assistant

    def put(
        self,
        kind: str,
        operations: Sequence[Operation],
        content_sha256: str,
        origin: Origin | None = None,
        seeds: Mapping[int, int] | None = None,
        undoes: str = "",
    ) -> str:
        """Keeps the operations that a yes would execute, and the message that is gone on with afterwards.

        Raises:
            QuestionTooLong: They say too much.
        """
        if not is_within([dict(operation.arguments) for operation in operations], _LONGEST_QUESTION):
            raise QuestionTooLong(
                f"What you would be asked about says more than {_LONGEST_QUESTION:,} characters. Nothing was done. "
                "Divide it into several messages."
            )
        if origin is not None:
            origin = replace(origin, history=tuple(latest(origin.history, HISTORY_OF_QUESTION)))
        payload: dict[str, Any] = {
            "operations": [{"function": o.function, "arguments": dict(o.arguments)} for o in operations],
            "origin": origin.as_dict() if origin else None,
            "seeds": seeds or {},
            "undoes": undoes,
        }
        return self._catalog.put_pending(
            self._workspace, self._project_id, kind, payload, content_sha256, by_assistant=self._by_assistant
        )

    def take(self, pending_id: str) -> PendingQuestion | None:
        """Hands a pending out once; None for an unknown id and for one of another project."""
        # One wide character in a text makes each of it take four bytes.
        found = self._catalog.pop_pending(
            self._workspace, self._project_id, pending_id, lambda length: self._weigh(4 * length)
        )
        if found is None or found.kind == UNDO:
            return None
        operations = tuple(Operation(o["function"], o["arguments"]) for o in found.payload["operations"])
        origin = Origin.from_dict(found.payload["origin"]) if found.payload.get("origin") else None
        seeds = {int(author): seed for author, seed in found.payload.get("seeds", {}).items()}  # unknown earlier
        undoes = found.payload.get("undoes", "")  # unknown earlier, too
        return PendingQuestion(found.id, found.kind, operations, found.content_sha256, origin, seeds, undoes)

    def keep_before(self, before: Before, content_sha256: str, *, forgets: bool = True) -> str:
        """Keeps what was before a turn, compressed; `forgets`: of a project only the last turns are kept."""
        payload, kept = _payload(before), KEPT_TURNS if forgets else None
        return self._catalog.put_pending(
            self._workspace, self._project_id, UNDO, payload, content_sha256, kept, by_assistant=before.by_assistant
        )

    def find_before(self, content_sha256: str) -> Before | None:
        """What was before the turn that led to this story, which stays kept."""
        return self._weighed(self._newest(content_sha256))

    def id_of_unshared(self, content_sha256: str) -> str:
        """The id of that, which is not read; empty if there is none, or if somebody else has changed the story then."""
        found = self._newest(content_sha256)
        return "" if found is None or _is_shared(found) else found.id

    def move_before(self, before: Before, content_sha256: str) -> None:
        """Keeps it, as it is now, in its place, for this story."""
        self._catalog.replace_pending(self._workspace, self._project_id, before.id, _payload(before), content_sha256)

    def drop_before(self, before_id: str) -> None:
        """Keeps this one no more."""
        self._catalog.pop_pending(self._workspace, self._project_id, before_id)

    def note_undone(self, before: Before, content_sha256: str) -> None:
        """Keeps that the turn is taken back, and the story that this came to."""
        self._catalog.note_undone(self._workspace, self._project_id, before.id, content_sha256)

    def is_undone(self, content_sha256: str) -> bool:
        """Whether an undo came to this story."""
        return self._catalog.is_undone(self._workspace, self._project_id, content_sha256)

    def _newest(self, content_sha256: str | None = None) -> StoredPending | None:
        return self._catalog.newest_pending(self._workspace, self._project_id, UNDO, content_sha256)

    def last_before(self) -> Before | None:
        """What was before the last turn that is kept, whatever it led to."""
        return self._weighed(self._newest())

    def _weighed(self, kept: StoredPending | None) -> Before | None:
        if kept is None:
            return None
        before = _before(kept)
        self._weigh(size_once_read(before.content))
        return before


def _payload(before: Before) -> dict[str, Any]:
    content = base64.b64encode(zlib.compress(before.content.encode())).decode()
    return {"before": content, "is_shared": before.is_shared, "left": before.left}


def _before(kept: StoredPending) -> Before:
    content = zlib.decompress(base64.b64decode(kept.payload["before"])).decode()
    left = {int(node): offset for node, offset in kept.payload.get("left", {}).items()}  # unknown earlier
    return Before(content, _is_shared(kept), kept.by_assistant, kept.id, left)


def _is_shared(kept: StoredPending) -> bool:
    return bool(kept.payload.get("is_shared", False))  # which earlier versions did not know


def policy_for(
    operator: ConfirmationPolicy, requested: ConfirmationPolicy | None, function: str | None
) -> ConfirmationPolicy:
    """The policy for a request.

    It may tighten the operator's, and not loosen it; only with a function that is named directly `never` counts,
    as the caller is the user, unless the operator wants everything asked.
    """
    if function is not None and requested == "never" and operator != "always":
        return "never"
    return stricter(operator, requested)


def stricter(operator: ConfirmationPolicy, requested: ConfirmationPolicy | None) -> ConfirmationPolicy:
    """The stricter of the two: a request may ask more often than the operator wants, never less."""
    if requested is None or _STRICTNESS.index(requested) < _STRICTNESS.index(operator):
        return operator
    return requested
