"""The parsed .arrow file and the way to change it."""

import copy
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace

from arrow_project.garbage import no_collection
from arrow_project.ids import expect_ids
from arrow_project.loading import load
from arrow_project.operation import NativeCall, Operation, OperationResult, Selection
from arrow_project.operations import perform
from arrow_project.operations.connecting import said
from arrow_project.phrases import simplified
from arrow_project.project_data import ProjectData
from arrow_project.renumbering import renumbered_native
from arrow_project.text_form import encode
from arrow_project.values import Connection, Record, text

_NOTHING_SELECTED = Selection()


class ArrowProject:
    """An Arrow project in memory.

    It may be copied while another thread edits it; whoever else reads it then may read half of an edit.

    Attributes:
        data: the normalised data, for reading.
    """

    def __init__(self, data: ProjectData) -> None:
        self.data = data
        self._in_use = threading.RLock()

    def to_text(self) -> str:
        """The project exactly as Arrow would save it."""
        return encode(self.data.raw)

    @property
    def title(self) -> str:
        """The project's title."""
        return text(self.data.raw["title"])

    @property
    def entry(self) -> int:
        """Id of the node where the story begins."""
        return self.data.entry

    def copy(self) -> "ArrowProject":
        """An independent copy without history."""
        with self._in_use:
            return ArrowProject(self.data.copy())

    def renumbered(self, ids: Mapping[int, int]) -> "ArrowProject":
        """The project with every resource's id replaced that `ids` has, for reading: it shares parts with this one."""
        with self._in_use, no_collection():
            return ArrowProject(ProjectData(renumbered_native(self.data.raw, ids), list(self.data.findings)))

    def simplified(self, node_id: int) -> Record:
        """A node's data in the simplified form of the tools, as the caller's own."""
        return copy.deepcopy(simplified(self.data, node_id))

    def said(self, connection: Connection) -> Connection:
        """A connection as it is stored, with slots as the tools count them."""
        return said(self.data, connection)

    def checkpoint(self) -> int:
        """A token for ``rollback``."""
        return self.data.journal.position

    def rollback(self, token: int) -> None:
        """Undo everything since the checkpoint; the bytes of ``to_text`` are what they were.

        Raises:
            ValueError: it is no checkpoint, an earlier one was rolled back to already, or a commit came after it;
                nothing is undone.
        """
        with self._in_use:
            self.data.journal.rollback(token)

    def commit(self) -> None:
        """What was done so far stays, and takes no memory any more: no checkpoint before now can be rolled back to."""
        with self._in_use:
            self.data.journal.commit()

    def apply(self, operation: Operation, selection: Selection = _NOTHING_SELECTED) -> OperationResult:
        """Apply one operation, completely or not at all.

        Raises:
            OperationError: the operation is refused; the project is unchanged.
            TypeError: it is no Operation.
        """
        with self._in_use:
            try:
                return perform(self.data, operation, selection)
            finally:
                self.data.expected_ids = ()

    @property
    def seeds(self) -> dict[int, int]:
        """What each author's next id is made from; the first is who works now."""
        authors = dict.fromkeys((self.data.active_author, *self.data.authors))
        return {author: self.data.seed_of(author) for author in authors}

    def draw_from(self, seeds: Mapping[int, int]) -> None:
        """Give ids as the story gave them when its `seeds` were these; of authors whom it lacks nothing is known."""
        known = [author for author in seeds if author in self.data.authors]
        for author in known:
            info, _seed, *rest = self.data.authors[author]
            self.data.journal.put(self.data.authors, author, [info, seeds[author], *rest])
        self.data.active_author = next(iter(known), self.data.active_author)

    def expect_id(self, *resource_ids: int) -> None:
        """Give these ids to what the next operation creates, in its order, because an editor gave them.

        Raises:
            OperationError: an id is taken, or not one of this project's chapter and authors.
        """
        expect_ids(self.data, resource_ids)

    def apply_all(
        self, operations: Iterable[Operation], selection: Selection = _NOTHING_SELECTED
    ) -> list[OperationResult]:
        """Apply operations in order, all or none; each sees what the previous one created as last_created.

        Raises:
            OperationError: one of them is refused; the project is unchanged.
        """
        before = self.checkpoint()
        results: list[OperationResult] = []
        try:
            for operation in operations:
                results.append(self.apply(operation, selection))
                if results[-1].created:
                    selection = replace(selection, last_created=results[-1].created[-1])
        except BaseException:
            self.rollback(before)
            raise
        return results


def parse(text: str | bytes) -> ArrowProject:
    """Read an ``.arrow`` file with Arrow's own tolerance: normalise numbers and keys, validate, migrate.

    Raises:
        ParseError: Arrow would not load it; carries the rule and the place.
        TypeError: it is neither str nor bytes.
    """
    with no_collection():
        loaded = load(text)
        data = ProjectData(loaded.document, loaded.findings)
        # now, so that the first operation takes no longer than the others
        data.usage.prepare()
        return ArrowProject(data)


def lower(
    project: ArrowProject, operation: Operation, selection: Selection = _NOTHING_SELECTED
) -> tuple[NativeCall, ...]:
    """The calls of Arrow's own functions that an operation comes to; the project stays as it is.

    Raises:
        OperationError: the operation would be refused.
    """
    before, expected = project.checkpoint(), project.data.expected_ids
    try:
        return project.apply(operation, selection).calls
    finally:
        project.rollback(before)
        project.data.expected_ids = expected
