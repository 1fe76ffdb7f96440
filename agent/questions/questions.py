"""What a turn asks the user, kept until the answer, and what a model is told when it goes on after it."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal

from agent.prompt.quoting import quoted_lines
from agent.questions.parameters import question
from agent.questions.pending import Origin, PendingQuestion, PendingStore
from agent.turn.events import Asked
from agent.turn.undo import UNDO, WayBack
from arrow_project import ArrowProject, Operation, describe_loss, diff, fingerprint, losses, tables_of

_HOW_TO_ANSWER = "Shall I do it? (yes or no, or say what should be different)"
_MOST_LOSSES = 1_000  # that are named, beside the changes: nobody reads more


class Questions:
    """Asks; what a yes would do is kept in the store under the id that the question carries."""

    def __init__(self, store: PendingStore) -> None:
        self._store = store

    def about_changes(
        self,
        kind: Literal["confirmation", "plan"],
        before: ArrowProject,
        after: ArrowProject,
        operations: Sequence[Operation],
        origin: Origin | None,
        seeds: Mapping[int, int] | None = None,
    ) -> Asked:
        """Whether `operations`, which lead from `before` to `after`, are to be done.

        The ids that they make are from `seeds`, by default those of `before`.
        """
        changes = str(diff(before, after))
        names = ", ".join(dict.fromkeys(operation.function.replace("_", " ") for operation in operations))
        what = "This is what would change:" if kind == "plan" else f"{names} would change this:"
        pending_id = self._store.put(kind, operations, fingerprint(before), origin, seeds or before.seeds)
        text = f"{what}\n{_what_is_lost(before, after)}{changes}\n{_HOW_TO_ANSWER}"
        return Asked(kind, text, pending_id, changes, tuple(operations))

    def once_more(self, pending: PendingQuestion, project: ArrowProject) -> Asked:
        """A question that has been asked about the same story, under a new id."""
        after = project.copy()
        after.draw_from(pending.seeds)
        after.apply_all(pending.operations)
        kind = "plan" if pending.kind == "plan" else "confirmation"
        return self.about_changes(kind, project, after, pending.operations, pending.origin, pending.seeds)

    def about_undo(
        self, kind: Literal["confirmation", "plan"], before: ArrowProject, way: WayBack, undoes: str
    ) -> Asked:
        """Whether the turn `undoes` is to be taken back; a yes runs the undo itself, not the operations of it."""
        pending_id = self._store.put(kind, (Operation(UNDO),), fingerprint(before), undoes=undoes)
        what = "This is what would change:" if kind == "plan" else "undo would change this:"
        text = f"{what}\n{_what_is_lost(before, way.before)}{way.changes}\n{_HOW_TO_ANSWER}"
        return Asked(kind, text, pending_id, way.changes, way.operations)

    def about_words(self, project: ArrowProject | None, problem: str, origin: Origin) -> Asked:
        """The words that the planner's command lacks, which the message in `origin` is to be completed with."""
        pending_id = self._store.put("parameters", (), fingerprint(project), origin)
        return Asked("parameters", f"{problem} Answer with the words, or no to leave it.", pending_id, "", ())

    def about_parameters(self, project: ArrowProject | None, operation: Operation, problem: str = "") -> Asked:
        """What the operation lacks; `problem` says what was wrong with the last answer."""
        pending_id = self._store.put("parameters", (operation,), fingerprint(project))
        return Asked("parameters", question(project, operation, problem), pending_id, "", (operation,))


def _what_is_lost(before: ArrowProject, after: ArrowProject) -> str:
    """Said before the changes: of a long question some show the beginning alone."""
    found = losses(tables_of(before), tables_of(after))
    lost = [describe_loss(before, loss) for loss in islice(found, _MOST_LOSSES)]
    more = " …, and more" if next(found, None) else ""
    return f"What would be lost: {'; '.join(lost)}{more}.\n" if lost else ""


def what_happened(origin: Origin, done: Sequence[str]) -> str:
    """What a model that goes on after a yes has to know."""
    return (
        f"(Before this you {_so_far(origin)}\nThe user was then asked about the following and said yes, and it has now "
        f"been done:\n{_quoted(done)}\nThe outline shows the project as it is after that. Do what is left of the "
        "message above, and repeat nothing. If nothing is left, say so in one short sentence.)"
    )


def calls_of(operations: Sequence[Operation]) -> str:
    """The operations as the model calls them, a line of JSON for each, quoted."""
    return _quoted([json.dumps({"function": o.function, "arguments": dict(o.arguments)}) for o in operations])


def _so_far(origin: Origin) -> str:
    said = f"said:\n{_quoted(origin.texts)}" if origin.texts else "said nothing,"
    return f"{said}\nand had done:\n{_quoted(origin.executed)}" if origin.executed else said


def _quoted(lines: Sequence[str]) -> str:
    """Behind bars: it stands in the user's message, and a model that has read a document may have chosen the words."""
    return quoted_lines("\n".join(lines))
