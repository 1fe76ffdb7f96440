"""What the checks find in a story, as a list that goes to the nodes."""

import re
from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from arrow_project import Finding
from ingest import counted
from workbench.frame.bounded import LONGEST_PROBLEM, beginning, draw_first

_NODE = re.compile(r"\bnode (\d+)")


class ChecksView:
    """Lists findings.

    Args:
        choose: Goes to a node.
    """

    def __init__(self, choose: Callable[[int], object]) -> None:
        self._choose = choose
        self._view = ui.expansion("Checks").classes("folder")
        with self._view:
            self._list = ui.column().classes("list")

    def show(self, findings: Sequence[Finding]) -> None:
        """Shows these instead of those before."""
        errors = sum(finding.severity == "error" for finding in findings)
        broken, warnings = counted(errors, "broken rule"), counted(len(findings) - errors, "warning")
        self._view.set_text(f"Checks: {broken}, {warnings}")
        self._list.clear()
        with self._list:
            if not findings:
                ui.label("Nothing to find fault with.").classes("hint")
            draw_first(findings, self._draw, "more are not listed; fletcher check lists more")

    def _draw(self, finding: Finding) -> None:
        said = beginning(f"{finding.place}: {finding.message}", LONGEST_PROBLEM)
        place = _NODE.search(finding.place) or _NODE.search(finding.message)
        if place is None:
            ui.label(said).classes("hint")
        else:
            button = ui.button(said, on_click=partial(self._choose, int(place[1])))
            button.props("flat no-caps dense align=left").classes("entry")
