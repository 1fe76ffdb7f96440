"""Running a task: its conversation through the turns of a real Fletcher, then its checks."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from arrow_project import ArrowProject, parse
from evaluation.agent.checks import says_not_done
from evaluation.agent.starts import open_start
from evaluation.agent.story_state import StoryState, story_state
from evaluation.agent.task import Ask, AskedBack, CitedPlace, Done, Task, TaskRun, TurnResult

TakeTurn = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Answers the body of `POST /projects/{id}/turns` as that does; raises `TurnRefused` where it answers with an error."""

Outcome = Literal["right", "refused", "wrong"]

# A question follows a yes when a request has several parts that need one; no task has more.
_MOST_QUESTIONS = 6
_MOST_HISTORY = 20


class TurnRefused(Exception):
    """The turn was answered with an error, such as a model that cannot be reached; the message says which."""


@dataclass
class Cost:
    """What a task took: requests to the model, tokens, US dollars where the price is known, seconds."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0

    def add(self, usage: Mapping[str, Any], seconds: float) -> None:
        """Counts one more turn."""
        self.requests += int(usage.get("requests") or 0)
        self.input_tokens += int(usage.get("input_tokens") or 0)
        self.output_tokens += int(usage.get("output_tokens") or 0)
        self.seconds += seconds
        if (price := usage.get("cost_usd")) is not None:
            self.cost_usd = (self.cost_usd or 0.0) + float(price)


@dataclass(frozen=True)
class Attempt:
    """A task that was tried; it has passed if nothing is wrong."""

    task: Task
    conversation: TaskRun
    wrong: tuple[str, ...]
    cost: Cost = field(default_factory=Cost)

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return not self.wrong

    @property
    def outcome(self) -> Outcome:
        """`right`; `refused` where nothing was changed and the answer says so; else `wrong`."""
        if self.passed:
            return "right"
        *earlier, last = self.conversation.answers
        # Of several requests the first may have been done when the last is refused.
        requests = sum(not say.as_long_as_asked for say in self.task.says)
        before = earlier[-1].after if requests > 1 else self.conversation.before
        declined = not any(says_not_done(replace(self.conversation, answers=(last,))))
        return "refused" if last.after == before and declined else "wrong"


async def attempt(task: Task, take_turn: TakeTurn) -> Attempt:
    """Tries a task.

    Raises:
        StartNotHere: The file it starts from is not on this machine.
    """
    talk = _Talk(open_start(task.start), take_turn)
    for say in task.says:
        await talk.say(say)
    conversation = TaskRun(talk.before, talk.after, tuple(talk.answers))
    return Attempt(task, conversation, judge(task, conversation), talk.cost)


def judge(task: Task, conversation: TaskRun) -> tuple[str, ...]:
    """What is wrong with the end of a conversation."""
    return tuple(problem for check in task.checks for problem in check(conversation))


class _Talk:
    """A conversation as a client has it: the content goes along, a question's id with the next message."""

    def __init__(self, project: ArrowProject, take_turn: TakeTurn) -> None:
        self.before = self.after = story_state(project)
        self.answers: list[TurnResult] = []
        self.cost = Cost()
        self._content = project.to_text()
        self._history: list[dict[str, str]] = []
        self._pending: str | None = None
        self._take_turn = take_turn

    async def say(self, say: Ask) -> None:
        if not say.as_long_as_asked:
            await self._turn(say)
            return
        for _ in range(_MOST_QUESTIONS):
            if self._pending is None:
                return
            await self._turn(say)

    async def _turn(self, say: Ask) -> None:
        body: dict[str, Any] = {
            "message": say.message,
            "arrow_content": self._content,
            "history": self._history[-_MOST_HISTORY:],
            "selected_node_ids": list(say.selected),
            "mode": "plan" if say.plan else "apply",
        }
        optional = {"current_scene_id": say.scene, "pending_id": self._pending, "function": say.function}
        body |= {name: value for name, value in optional.items() if value is not None}
        if say.params:
            body["function_params"] = dict(say.params)
        answered: Mapping[str, Any]
        begun = time.monotonic()
        try:
            answered = await self._take_turn(body)
        except TurnRefused as refused:
            answered = {"text": str(refused), "failed": True}
        self.cost.add(answered.get("usage") or {}, time.monotonic() - begun)
        self._content = str(answered.get("arrow_content") or self._content)
        self.after = story_state(parse(self._content))
        answer = _answer(answered, self.after)
        self.answers.append(answer)
        self._pending = answer.question.pending_id if answer.question else None
        said = answer.text if answer.question is None else f"{answer.text}\n\n{answer.question.text}"
        self._history.append({"message": say.message, "output": said})


def _answer(answered: Mapping[str, Any], after: StoryState) -> TurnResult:
    question = answered.get("question")
    return TurnResult(
        text=str(answered.get("text", "")),
        citations=tuple(
            CitedPlace(cited["document"], cited["page_from"], cited["page_to"])
            for cited in answered.get("citations", ())
        ),
        operations=tuple(Done(done["function"], bool(done["success"])) for done in answered.get("operations", ())),
        question=AskedBack(question["kind"], question["text"], question["pending_id"]) if question else None,
        failed=bool(answered.get("failed")),
        after=after,
        not_done=tuple(answered.get("not_done", ())),
    )
