"""Who answers a message, and how: a model with its tools, or the planner without one."""
