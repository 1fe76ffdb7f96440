"""What assistants have taken away from stories, over their calls."""

from collections import OrderedDict
from collections.abc import Hashable

from arrow_project import Loss

_REMEMBERED = 10_000


class TakenAway:
    """By story, not by connection: whoever connects anew, or as another assistant, begins where the last one was."""

    def __init__(self) -> None:
        self._of = OrderedDict[Hashable, set[Loss]]()

    def of(self, story: Hashable) -> set[Loss]:
        """What counts in a story; an assistant's turn adds to it, and a yes empties it."""
        taken = self._of.setdefault(story, set())
        self._of.move_to_end(story)
        if len(self._of) > _REMEMBERED:
            self._of.popitem(last=False)
        return taken

    def known_of(self, story: Hashable) -> set[Loss]:
        """The same for whoever can only empty it."""
        return self._of.get(story, set())
