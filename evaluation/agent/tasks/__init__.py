"""All tasks, by topic."""

from evaluation.agent.task import Task
from evaluation.agent.tasks import adding, answering, changing, conversing, grounded, refusing, resources

TASKS: tuple[Task, ...] = (
    *adding.TASKS,
    *changing.TASKS,
    *resources.TASKS,
    *grounded.TASKS,
    *conversing.TASKS,
    *answering.TASKS,
    *refusing.TASKS,
)
"""Every task; ids are unique."""

__all__ = ["TASKS"]
