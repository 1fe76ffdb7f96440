"""Changes that are nowhere else are given up only by who is asked."""

from collections.abc import Callable

from nicegui import ui

from workbench.story.open_story import OpenStory


def ask_to_give_up(story: OpenStory, title: str, action: str, give_up: Callable[[], object]) -> None:
    """Asks in a dialog: `action` does it (a function, or a coroutine function), whatever else is chosen does not."""
    with ui.dialog().props(f'aria-label="{title}"') as dialog, ui.card():
        ui.label(f"{story.name} has changes that were not downloaded or written back. Give them up?")
        with ui.row().classes("line"):
            ui.button(action, on_click=dialog.close).on_click(give_up).props("no-caps color=negative")
            ui.button("Keep the changes", on_click=dialog.close).props("no-caps outline")
    dialog.open()
