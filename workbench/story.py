"""The tab `Story`."""

from nicegui import ui

from workbench.visit import Visit


class StoryPanel:
    """Nothing yet."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        ui.label("Story").classes("title").props('role="heading" aria-level="1"')
