"""What is nowhere else is given up only by who is asked."""

from collections.abc import Callable, Sequence

from nicegui import ui


def unsaved(names: Sequence[str]) -> str:
    """What is to be said of stories of these names."""
    have = "has" if len(names) == 1 else "have"
    return f"{', '.join(names)} {have} changes that were not downloaded or written back. Give them up?"


def ask_to_give_up(what: str, title: str, action: str, give_up: Callable[[], object]) -> None:
    """Asks in a dialog about `what`, a sentence or two.

    `action` does it (a function, or a coroutine function), whatever else is chosen does not.
    """
    with ui.dialog().props(f'aria-label="{title}"') as dialog, ui.card():
        ui.label(what)
        with ui.row().classes("line"):
            ui.button(action, on_click=dialog.close).on_click(give_up).props("no-caps color=negative")
            ui.button("Keep the changes", on_click=dialog.close).props("no-caps outline")
    dialog.open()
