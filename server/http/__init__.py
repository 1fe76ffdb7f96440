"""The HTTP API: routes, what they answer and refuse."""
