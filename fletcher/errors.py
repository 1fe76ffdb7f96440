"""What a command says when it cannot do its work."""


class CommandError(Exception):
    """Ends a command with exit code 1; the message names the thing, the rule and the remedy."""


class WrongUsage(CommandError):
    """Ends a command with exit code 2: what was asked for cannot be, and it was not begun."""
