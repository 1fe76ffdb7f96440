"""What could not be read, with its remedy: for every page of the project, until it is read or dismissed."""

from collections.abc import Callable, Collection, Mapping, Sequence

from nicegui import ui

from ingest import Problem, counted
from workbench.frame.bounded import LONGEST_NAME, LONGEST_PROBLEM, beginning, draw_first

_UNKNOWN = "UNKNOWN_FORMAT"
_SHOWN_NAMES = 3


class FailuresView:
    """Lists failures.

    Args:
        read_again: Sends the documents of these names another time.
        dismiss: Forgets all.
    """

    def __init__(self, read_again: Callable[[list[str]], object], dismiss: Callable[[], object]) -> None:
        self._read_again = read_again
        self._dismiss = dismiss
        self._shown: object = None
        self._view = ui.column().classes("problems")

    def show(self, failures: Mapping[str, Problem], sent: Collection[str]) -> None:
        """Shows these; those among `sent` are files that this browser has given, and can give again."""
        again = [name for name, problem in failures.items() if name in sent and problem.code != _UNKNOWN]
        if self._shown == (failures, again):
            return
        self._shown = failures, again
        self._view.clear()
        with self._view:
            draw_failures(failures)
            with ui.row().classes("line"):
                if again:
                    read = ui.button("Read again", icon="refresh", on_click=lambda: self._read_again(again))
                    read.props("no-caps outline dense")
                if failures:
                    ui.button("Dismiss", on_click=self._dismiss).props("no-caps flat dense")


def draw_failures(failures: Mapping[str, Problem], where: str = "") -> None:
    """One line for each; a folder has pictures in it and the like, which are one line together."""
    unknown = [name for name, problem in failures.items() if problem.code == _UNKNOWN]
    if len(unknown) > 1:
        skipped = f"Skipped {counted(len(unknown), 'file')} of kinds that are not read"
        draw_problem(f"{where}{skipped}: {listed(unknown)}.", is_failure=False)
    problems = [one for one in failures.values() if one.code != _UNKNOWN or len(unknown) == 1]
    draw_first(problems, lambda one: draw_problem(f"{where}{one.message}"), "more could not be read")


def draw_problem(message: str, *, is_failure: bool = True) -> None:
    """One line that is read aloud."""
    with ui.row().classes("problem" if is_failure else "problem skipped").props('role="alert"'):
        ui.icon("error" if is_failure else "info").props('aria-hidden="true"')
        ui.label(beginning(message, LONGEST_PROBLEM))


def listed(names: Sequence[str]) -> str:
    """The first of them, and how many there are besides."""
    more = len(names) - _SHOWN_NAMES
    shown = ", ".join(beginning(name, LONGEST_NAME) for name in names[:_SHOWN_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown
