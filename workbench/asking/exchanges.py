"""Messages and their answers, as a page draws them."""

from nicegui import ui

from workbench.asking.kept_conversation import MOST_EXCHANGES
from workbench.frame.bounded import beginning


class Exchanges(ui.column):
    """The last ones of one tab: what is drawn stays in memory for as long as the page does.

    Args:
        newest: Where a new one stands: 0, above the others, or -1, below them.
    """

    def __init__(self, newest: int) -> None:
        super().__init__()
        self.classes("answers").props('aria-live="polite"')
        self._newest = newest

    def begin(self, said: str) -> ui.column:
        """Where the answer to a message is drawn, below it; the oldest one is let go."""
        with self, ui.column().classes("exchange") as exchange:
            ui.label(beginning(said)).classes("question")
        exchange.move(target_index=self._newest)
        drawn = self.default_slot.children
        if len(drawn) > MOST_EXCHANGES:
            drawn[-1 if self._newest == 0 else 0].delete()
        return exchange
