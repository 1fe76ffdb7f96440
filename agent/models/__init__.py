"""Models by name, how they fail, and how long a busy one is waited for."""
