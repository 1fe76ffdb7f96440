"""A field to choose in, of however many."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from workbench.frame.bounded import LONGEST_NAME, MOST_CHOICES

_PAUSE_S = 0.3  # between two looks at what is written


class LongSelect(ui.select):
    """Offers the first of very many, and once something is written those that have it.

    Args:
        label: What can be chosen.
        on_change: Called when something is.
    """

    def __init__(self, label: str, on_change: Callable[[], object] | None = None) -> None:
        super().__init__({}, label=label, with_input=True, on_change=on_change)
        self._all: Mapping[Any, str] = {}
        self._listed: Mapping[Any, str] = {}
        self.on("input-value", self._look_for, throttle=_PAUSE_S, leading_events=False)
        self.on_value_change(lambda: self._show("", self.value))  # what was written is done with

    def offer(self, choices: Mapping[Any, str], value: Any) -> None:
        """From now on one of `choices` can be chosen; `value` is."""
        if (choices, value) == (self._all, self.value):
            return  # somebody may be choosing
        self._all = choices
        more = f"{MOST_CHOICES} of {len(choices):,} are listed: write to find others."
        self.props["hint"] = more if len(choices) > MOST_CHOICES else None
        self._show("", value)

    def _event_args_to_value(self, e: GenericEventArguments) -> Any:
        """By its name: the list may be another one by now than that of which the browser says a place."""
        said: dict[str, Any] = e.args if isinstance(e.args, dict) else {}
        place, named = said.get("value"), said.get("label")
        listed = list(self._listed.items())
        if isinstance(place, int) and 0 <= place < len(listed) and listed[place][1] == named:
            return listed[place][0]
        chosen = next((key for key, name in self._all.items() if name == named), None)
        if chosen is not None:
            self._show("", chosen)
        return chosen

    def _look_for(self, event: GenericEventArguments) -> None:
        if len(self._all) > MOST_CHOICES and isinstance(event.args, str):
            self._show(event.args[:LONGEST_NAME].casefold(), self.value)

    def _show(self, written: str, value: Any) -> None:
        keys = list(islice((key for key, name in self._all.items() if written in name.casefold()), MOST_CHOICES))
        if value in self._all and value not in keys:
            keys.insert(0, value)
        self._listed = {key: self._all[key] for key in keys}
        self.set_options(dict(self._listed), value=value)
