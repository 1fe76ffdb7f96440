"""A planner without weights: what `FLETCHER_MODEL=local` answers and edits with."""

from agent.local.planner import is_command, plan
from agent.local.steps import Call, Say, Steps, WordsMissing

__all__ = ["Call", "Say", "Steps", "WordsMissing", "is_command", "plan"]
