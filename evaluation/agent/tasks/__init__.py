"""All tasks, by topic."""

from evaluation.agent.task import Task
from evaluation.agent.tasks import (
    adding,
    answering,
    changing,
    conversing,
    free_questions,
    free_requests,
    grounded,
    newcomer,
    refusing,
    resources,
    stranger_questions,
    stranger_requests,
    visitor_questions,
    visitor_requests,
)

TASKS: tuple[Task, ...] = (
    *adding.TASKS,
    *changing.TASKS,
    *resources.TASKS,
    *grounded.TASKS,
    *conversing.TASKS,
    *answering.TASKS,
    *refusing.TASKS,
    *free_requests.TASKS,
    *free_questions.TASKS,
    *stranger_requests.TASKS,
    *stranger_questions.TASKS,
    *visitor_requests.TASKS,
    *visitor_questions.TASKS,
    *newcomer.TASKS,
)
"""Every task; ids are unique."""

__all__ = ["TASKS"]
