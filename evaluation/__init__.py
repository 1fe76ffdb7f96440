"""How well Fletcher does what it is for, measured: the agent on tasks, retrieval on questions."""
