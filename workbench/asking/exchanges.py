"""Messages and their answers, as a page draws them."""

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from workbench.asking.kept_conversation import MOST_EXCHANGES
from workbench.frame.bounded import LONGEST_CONVERSATION, beginning


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
        """Where the answer to a message is drawn, below it; of the answers before it the beginning stays.

        The oldest exchanges are let go.
        """
        for drawn in self.descendants():
            if isinstance(drawn, ui.label):
                drawn.set_text(beginning(drawn.text))
        with self, ui.column().classes("exchange") as exchange:
            ui.label(beginning(said)).classes("question")
        exchange.move(target_index=self._newest)
        room = LONGEST_CONVERSATION
        for number, one in enumerate(self.default_slot.children[:: 1 if self._newest == 0 else -1]):
            room -= sum(len(drawn.text) for drawn in one.descendants() if isinstance(drawn, TextElement))
            if number >= MOST_EXCHANGES or room < 0:
                one.delete()
        return exchange
