"""A planner without weights: what `FLETCHER_MODEL=local` answers and edits with."""

from agent.local.context import PlanningContext
from agent.local.planner import is_command, plan
from agent.local.steps import Call, Say, Steps, WordsMissing

__all__ = ["Call", "PlanningContext", "Say", "Steps", "WordsMissing", "is_command", "plan"]
