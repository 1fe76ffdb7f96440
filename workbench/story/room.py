"""The room in memory that the open stories of all pages share."""

import asyncio
from collections import defaultdict
from typing import Protocol
from weakref import WeakValueDictionary, ref

from server import RequestError

_MOST_OF_ALL, _MOST_OF_WORKSPACE = 512 * 2**20, 256 * 2**20


class Held(Protocol):
    """A story, or the drawing of one: its name, and what it takes in memory, in bytes."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...


class OpenStories:
    """Counts every story, and what is drawn of it, for as long as a page holds that.

    A story that a page opens has room, or is refused; one by itself has it in any case, and of each workspace a
    sixteenth has. What becomes of an open one by a turn is counted, and not refused: it would be lost. So the turn is,
    where there would be no room for that.

    Args:
        most: In bytes, as they are in memory.
        each: The same for each workspace.
    """

    def __init__(self, most: int = _MOST_OF_ALL, each: int = _MOST_OF_WORKSPACE) -> None:
        self._most = most
        self._each = each
        self._held: defaultdict[str, list[ref[Held]]] = defaultdict(list)
        self._reading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def reading(self, workspace: str) -> asyncio.Lock:
        """Held by the one of its pages that reads a file: until that is a story, it counts nowhere."""
        return self._reading.setdefault(workspace, asyncio.Lock())

    def taken(self, workspace: str, *but: Held | None) -> int:
        """How many bytes its stories take, without some of them."""
        self._held[workspace] = [held for held in self._held[workspace] if held() is not None]
        stories = [held() for held in self._held[workspace]]
        return sum(one.size for one in stories if one is not None and not any(one is other for other in but))

    def add(self, workspace: str, story: Held) -> None:
        """A page has the story, whatever room there is."""
        if all(held() is not story for held in self._held[workspace]):
            self._held[workspace].append(ref(story))

    def admit(self, workspace: str, story: Held, *instead_of: Held | None) -> None:
        """Adds a story if there is room for it, once those are gone that the page shows `instead_of` it now.

        Raises:
            RequestError: There is none; all that is open stays so.
        """
        self.refuse(workspace, story, story, *instead_of)
        self.add(workspace, story)

    def refuse(self, workspace: str, story: Held, *but: Held | None) -> None:
        """Raises `RequestError` if there is no room for one as large as the story, once some are gone."""
        own = self.taken(workspace, *but)
        others = sum(self.taken(one) for one in list(self._held) if one != workspace)
        is_too_much = (own and own + story.size > self._each) or (others and own + others + story.size > self._most)
        if own + story.size > self._most // 16 and is_too_much:
            raise RequestError(
                503,
                "TOO_BUSY",
                f"There is no room for {story.name}, which takes {_mib(story.size)} MiB in memory. Stories that stand "
                f"on other pages of yours take {_mib(own)} MiB; {_mib(self._each)} MiB are for each workspace, and "
                f"{_mib(self._most)} MiB for all. Close pages that show stories, and try again.",
            )


def _mib(size: int) -> int:
    return -(-size // 2**20)
