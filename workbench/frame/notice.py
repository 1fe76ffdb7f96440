"""What a page says above everything else, until its visitor closes it."""

from typing import Literal

from nicegui import ui


def notify(said: str, kind: Literal["negative", "warning"] = "negative") -> None:
    """Says it on the page whose turn it is."""
    ui.notify(said, type=kind, multi_line=True, timeout=0, close_button="Close")
