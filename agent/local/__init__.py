"""A planner without weights: what `FLETCHER_MODEL=local` answers and edits with."""

from agent.local.planner import is_command, needs_passages, plan
from agent.local.steps import Say, Steps, ToolCall, WordsMissing

__all__ = ["Say", "Steps", "ToolCall", "WordsMissing", "is_command", "needs_passages", "plan"]
