"""The task suite: what a writer asks for, and checkers over the document that comes out.

`fletcher evaluate-agent` runs it with any model. A task is a request or a short conversation, the state it starts
from, and checks of structure, not of wording.
"""

from evaluation.agent.running import Attempt, Cost, Outcome, TakeTurn, TurnRefused, attempt, judge
from evaluation.agent.starts import StartNotHere, open_start
from evaluation.agent.task import Task, TaskRun, TurnResult
from evaluation.agent.tasks import TASKS

__all__ = [
    "TASKS",
    "Attempt",
    "Cost",
    "Outcome",
    "StartNotHere",
    "TakeTurn",
    "Task",
    "TaskRun",
    "TurnRefused",
    "TurnResult",
    "attempt",
    "judge",
    "open_start",
]
