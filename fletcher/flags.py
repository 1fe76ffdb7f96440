"""Commands whose help shows a flag as what it is: `--json`, and no type behind it."""

from typing import Any

from typer.core import TyperCommand, TyperGroup


class _Flags:
    def get_params(self, ctx: Any) -> list[Any]:
        """All of them, that of the help, too."""
        params: list[Any] = super().get_params(ctx)  # pyright: ignore
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class PlainCommand(_Flags, TyperCommand):
    """A command; its flags take no value."""


class PlainGroup(_Flags, TyperGroup):
    """Commands under one name."""
