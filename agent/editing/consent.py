"""Which of a turn's operations wait for the user's yes."""

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from agent.editing.editor import Failure, OperationRefused
from agent.editing.meanwhile import WrittenMeanwhile
from agent.questions.confirmation import ConfirmationPolicy
from arrow_project import (
    ArrowProject,
    Loss,
    Operation,
    OperationError,
    OperationResult,
    Selection,
    Tables,
    copied,
    files_in,
    losses,
    tables_of,
)

# What a turn may replace unasked, in all: a line of text, in a few places.
_CHARACTERS = 80
_RESOURCES = 5
_CONNECTS = ("create_insert_node", "quick_insert_node", "create_connection")
_WRITTEN_MEANWHILE = (
    "The project has been changed meanwhile, and the next step would take away what has come into {}. It was not done. "
    "Ask for it again to be asked about that, too."
)
_OUTDATED = (
    "What the editor shows of the story now is not known here, or cannot be read. So nobody knows what is in {} now, "
    "of which this might take something away. It was not done. Send the story again, or save it in the editor."
)


class Consent:
    """What the user is asked before, by policy and by what the turn takes away; what it has made itself is no loss.

    Args:
        policy: When to ask first.
        holds_all: Once an operation needs a yes, all that follow wait for it as well.
        taken: What counts already, to which is added what is taken away unasked.
        is_outdated: The user sees another story, which cannot be read: nobody knows what a yes would take away.

    Attributes:
        is_outdated: As given; it may be known by now.
        restores: What is executed brings back what was in the story before.
    """

    def __init__(
        self,
        policy: ConfirmationPolicy,
        *,
        holds_all: bool = False,
        taken: set[Loss] | None = None,
        is_outdated: bool = False,
    ) -> None:
        self._policy: ConfirmationPolicy = policy
        self._holds_all = holds_all
        self.is_outdated = is_outdated
        self.restores = False
        self._seen: Tables = {}
        self._created: set[tuple[str, int]] = set()
        self._left: Tables = _no_tables()  # what was created, as the turn's own operations have left it
        self._connections: set[tuple[int, ...]] = set()  # that the turn has made itself
        self._taken: set[Loss] = set() if taken is None else taken
        self._meanwhile: WrittenMeanwhile | None = None

    def stop_asking(self) -> None:
        """The user has agreed to what follows."""
        self._policy = "never"

    @contextmanager
    def given(self, agreed: ArrowProject | None, *, restores: bool) -> Generator[None]:
        """The user has agreed to what is executed within, on the story `agreed`; not to what others write there."""
        policy, self._policy = self._policy, "never"
        self.restores = restores
        is_read = self._meanwhile is not None
        self.reads(agreed)
        try:
            yield
        finally:
            self._policy, self.restores = policy, False
            if not is_read:  # else a model may have more to do that it has decided before
                self._meanwhile = None

    def reads(self, story: ArrowProject | None) -> None:
        """Whoever decides what is done knows this story: what others write there from now on is not taken away."""
        self._meanwhile = WrittenMeanwhile(story) if story is not None else None

    def look_at(self, project: ArrowProject, *, is_waiting: bool) -> None:
        """Keeps the story as it is before an operation, so also with what the user has changed meanwhile."""
        shown = tables_of(project)
        self._give_up_what_others_wrote(shown)
        if self._meanwhile is not None:
            self._meanwhile.look_at(project, shown)
        if not self.is_outdated and (self._policy != "destructive" or (self._holds_all and is_waiting)):
            return
        for kind, table in shown.items():
            seen = self._seen.setdefault(kind, {})
            for key in seen.keys() - table.keys():
                del seen[key]
            for key, record in table.items():
                # what the turn has made says nothing of what texts meant by its name
                if (kind, key) not in self._created and seen.get(key) != record:
                    seen[key] = copied(record)

    def must_wait(
        self, tried: ArrowProject, selection: Selection, planned: tuple[Operation, ...], *, is_waiting: bool
    ) -> bool:
        """Whether the user is asked before an operation; if not, what it takes away counts from now on.

        Args:
            tried: The story with which it has been tried.
            selection: What words such as `selected` mean in `planned`.
            planned: What will follow it: all of it waits, or none.
            is_waiting: Whether an earlier operation of the turn waits already.

        Raises:
            OperationRefused: It would take away what others have written since the yes, or since the model has read the
                story; or anything at all of a story that is outdated.
        """
        self._refuse_losses_of_others(tried)
        if (self._holds_all and is_waiting) or self._policy == "always":
            return True
        if self._policy == "never":
            return False
        after = _with(tried, planned, selection)
        if after is None:  # what it would take away is not known
            return True
        lost = set[Loss]()
        for loss in losses(self._seen, tables_of(after)):
            if not self._is_own(loss):
                lost.add(loss)
                if _are_more_than_a_little(lost | self._taken):  # which the first few are, of however many
                    return True
        named = {file for loss in lost for file in files_in(loss.was)}
        if named and not named <= set(files_in(after.data.raw)):  # no turn could write it again
            return True
        self._taken |= lost
        return False

    def refuse_changes(self, operation: Operation) -> None:
        """Raises `OperationRefused` for what does more than add to a story that is outdated.

        What seems to be empty there may have been filled since.
        """
        if self.is_outdated and not operation.function.startswith("create_"):
            raise OperationRefused(Failure("CONFLICT", _OUTDATED.format("the project")))

    def _refuse_losses_of_others(self, tried: ArrowProject) -> None:
        """Raises `OperationRefused` where something would be gone that the user cannot have agreed to lose."""
        unknown = losses(self._seen, tables_of(tried)) if self.is_outdated else iter(())
        written = self._meanwhile.taken_away(tried) if self._meanwhile is not None else iter(())
        for found, why in (unknown, _OUTDATED), (written, _WRITTEN_MEANWHILE):
            for loss in found:
                if not self._is_own(loss):
                    raise OperationRefused(Failure("CONFLICT", why.format(_thing(loss))))

    def asks_about(self, story: ArrowProject, operations: tuple[Operation, ...], selection: Selection) -> bool:
        """Whether the user is asked before operations that are done all or none; each of them waits then."""
        self.look_at(story, is_waiting=False)
        if self.must_wait(story, selection, operations, is_waiting=False):
            self._policy = "always"
        return self._policy == "always"

    def executed(
        self, applied: OperationResult, created: str | None, story: ArrowProject, expected_ids: Mapping[int, int]
    ) -> None:
        """The operation was executed.

        Args:
            applied: As the editor has done it.
            created: The kind of what it made, beside nodes.
            story: As the turn's own operations have left it.
            expected_ids: Under which ids that has what was made, where the editor gave others.
        """
        self._created |= {("node", node_id) for node_id in applied.created}
        self._connections |= _made(applied, {expected: given for given, expected in expected_ids.items()})
        if created is not None:
            self._created.add((created, next(iter(applied.result.values()))))
        if not self._created:
            return
        tables = tables_of(story, {expected_ids.get(key, key) for kind, key in self._created if kind == "node"})
        for kind, key in self._created:
            for each in _kept_in(kind):
                record = tables[each].get(expected_ids.get(key, key))
                if record is not None and self._left[each].get(key) != record:
                    self._left[each][key] = copied(record)

    def _give_up_what_others_wrote(self, shown: Tables) -> None:
        """What the turn has made is its own as long as nobody else has written into it."""
        for kind, key in list(self._created):
            if all(shown[each].get(key) == self._left[each].get(key) for each in _kept_in(kind)):
                continue
            here, left = _no_tables(), _no_tables()
            for each in _kept_in(kind):
                for record, table in (shown[each].get(key), here), (self._left[each].get(key), left):
                    if record is not None:
                        table[each][key] = _without_given_name(kind, record)
            if here[kind] and left[kind] and any(losses(here, left)):
                self._created.discard((kind, key))

    def _is_own(self, loss: Loss) -> bool:
        """A connection into what the turn has made may be another's, unless the turn has made it or where it begins."""
        return (loss.kind, loss.id) in self._created or loss.connection in self._connections


def _made(applied: OperationResult, given_ids: Mapping[int, int]) -> set[tuple[int, ...]]:
    """The connections that an operation has made, and not only led to another slot."""
    made = set[tuple[int, ...]]()
    if applied.operation.function in _CONNECTS:
        for call in applied.calls:
            for from_id, slot, to_id, to_slot in call.arguments.get("modifications", {}).get("io", {}).get("push", ()):
                made.add((given_ids.get(from_id, from_id), slot, given_ids.get(to_id, to_id), to_slot))
    return made


def _thing(loss: Loss) -> str:
    return "the project" if loss.kind == "project" else f"{loss.kind} {loss.id}"


def _no_tables() -> Tables:
    return {kind: {} for kind in ("project", "scene", "node", "place", "variable", "character")}


def _without_given_name(kind: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Arrow names a node after its id."""
    return {name: value for name, value in record.items() if name != "name" or kind != "node"}


def _kept_in(kind: str) -> tuple[str, ...]:
    return ("node", "place") if kind == "node" else (kind,)


def _are_more_than_a_little(lost: Collection[Loss]) -> bool:
    """Whether nobody should lose them unasked.

    These are anything that is removed, a text with a line break, more than a line of text, or something in more than
    a few places.
    """
    return (
        any(loss.is_removal or "\n" in loss.was.strip() for loss in lost)
        or sum(len(loss.was) for loss in lost) > _CHARACTERS
        or len({(loss.kind, loss.id) for loss in lost}) > _RESOURCES
    )


def _with(project: ArrowProject, planned: tuple[Operation, ...], selection: Selection) -> ArrowProject | None:
    """The story as it will be with what is planned; None where that cannot be told."""
    tried = project.copy() if planned else project
    for operation in planned:
        try:
            applied = tried.apply(operation, selection)
        except OperationError:
            return None
        if applied.created:
            selection = replace(selection, last_created=applied.created[-1])
        tried.commit()  # of a copy nothing is taken back; what is kept for that has a limit
    return tried
