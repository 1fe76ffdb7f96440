"""A turn that was stopped: what stays of it in the story."""

from agent import TextFinished, Turn, describe, in_thread
from arrow_project import ArrowProject, diff
from server.dialects import Dialect, Frame
from server.socket.open_turn import OpenTurn
from server.socket.stories import Stories

# Characters, and nodes, up to which a story is read and compared before the client is told that its turn has ended.
_PARSED_BEFORE_THE_END = 200_000
_COMPARED_BEFORE_THE_END = 500


class StoppedTurn:
    """What is done after a stop.

    Args:
        turn: Told to end; something may still work on its story.
        stories: Of the client.
        dialect: What it speaks.
        by_client: The client has sent the stop, and not a guest: only then does it undo anything by itself.
    """

    def __init__(self, turn: OpenTurn, stories: Stories, dialect: Dialect, *, by_client: bool) -> None:
        self._turn = turn
        self._stories = stories
        self._dialect = dialect
        self._is_rolled_back = by_client and dialect.rolls_back

    async def settle(self) -> list[Frame]:
        """Brings the shadow to where the client's story is after a stop; says what stays where something does."""
        turn = self._turn
        if turn.project is None:
            return []
        stays = turn.running is not None and not self._is_rolled_back
        self._stories.settle(self._bring_along(turn.project, stays=stays))
        if turn.running is None or not stays:
            return []
        executed, content, after = turn.running.executed, turn.editor.content, turn.running.context.project
        is_small = after is not None and len(after.data.nodes) <= _COMPARED_BEFORE_THE_END
        if not turn.has_ended or len(content or "") > _PARSED_BEFORE_THE_END or not is_small:
            changes = [f"- {operation.function}" for operation in executed]
            return self._stays("\n".join(changes + ["- a part of the last change"] * (content is not None)))
        await self._stories.settled()
        after = self._stories.get(turn.project_id)
        changes = "\n".join(f"- {describe(operation)}" for operation in executed)
        if after is not None and after is not turn.project:
            await in_thread(turn.project.rollback, turn.checkpoint)
            changes = str(await in_thread(diff, turn.project, after))
        return self._stays(changes)

    async def _bring_along(self, before: ArrowProject, *, stays: bool) -> None:
        """Once nothing works on the turn's story any more, it is what the client has after the stop."""
        turn, running, stopped = self._turn, self._turn.running, self._stories.comes()
        await turn.ended()
        after = running.context.project if running is not None and stays else None
        if running is None or after is None:
            await in_thread(before.rollback, turn.checkpoint)  # of what was deleted one by one that takes long
            # The client keeps what its user has written meanwhile, which is not in that.
            self._stories.replace(turn.project_id, turn.shown, before, turn.came)
            if running is not None:
                if not running.is_known:  # it may do yet what it was asked for last
                    self._stories.has_come(turn.project_id, stopped)
                self._note_unseen(running)
            return
        came = running.came or turn.came
        self._stories.replace(turn.project_id, turn.shown, after, came)
        # Of an operation that is stopped between two of its calls, what the client has reported is true.
        if turn.editor.content is not None and turn.editor.came > came:
            await self._stories.adopt(turn.project_id, after, turn.editor.content, turn.editor.came)
        if not running.is_known:
            self._stories.has_come(turn.project_id, stopped)
        self._note_unseen(running)
        await self._stories.weigh(turn.project_id)

    def _note_unseen(self, running: Turn) -> None:
        if running.not_kept is not None:
            self._stories.note_unseen(self._turn.project_id, running.not_kept)

    def _stays(self, changes: str) -> list[Frame]:
        if not changes:
            return []
        words = f"Stopped. This was done before and stays in your project:\n{changes}\nSay undo to take it back."
        return list(self._dialect.event(TextFinished(words)))
