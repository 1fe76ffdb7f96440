"""How often something may happen for each of many: workspaces, addresses."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

_MOST_KEYS = 10_000


@dataclass
class _Bucket:
    left: float
    filled_at: float


class Rate:
    """A bucket for each key, which fills evenly: a minute's worth may be taken at once.

    Args:
        per_minute: How often a minute.
        now: The time in seconds.
    """

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._now = now
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()  # the last used last

    def take(self, key: str) -> int:
        """Takes one, if there is one: 0; else after how many whole seconds there is one again."""
        wait_s = self.wait_s(key)
        if wait_s == 0:
            self._buckets[key].left -= 1
        return wait_s

    def wait_s(self, key: str) -> int:
        """What `take` would return."""
        now, per_second = self._now(), self._per_minute / 60
        bucket = self._buckets.setdefault(key, _Bucket(self._per_minute, now))
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)
        bucket.left = min(self._per_minute, bucket.left + (now - bucket.filled_at) * per_second)
        bucket.filled_at = now
        return 0 if bucket.left >= 1 else max(1, ceil((1 - bucket.left) / per_second))
