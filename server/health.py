"""Whether the stores answer."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from corpora import Catalog, CorpusError
from retrieval import Retriever

logger = logging.getLogger(__name__)

_CATALOG_S = 5.0  # without it hardly anything can be done, so it is not given up soon
_VECTORS_S = 1.0


class Health:
    """Asks the stores, each one thing at a time and in a thread of its own, whoever wants to know how often."""

    def __init__(
        self, catalog: Catalog, retriever: Retriever, is_away: Mapping[str, Callable[[], bool | None]]
    ) -> None:
        self._catalog = _Store(catalog.ping, _CATALOG_S)
        self._vectors = _Store(retriever.check_vectors, _VECTORS_S)
        self._is_away = is_away

    async def stores(self) -> dict[str, str]:
        """By `catalog` and `vectors`: `ok`, or `away` for what does not answer within its seconds."""
        answers = await asyncio.gather(self._catalog.answers(), self._vectors.answers())
        return {name: "ok" if ok else "away" for name, ok in zip(("catalog", "vectors"), answers, strict=True)}

    def providers(self) -> dict[str, str]:
        """By `embedding` and `reranking`, where a provider does it: `ok`, or `away` if it did not answer lately."""
        away = {name: is_away() for name, is_away in self._is_away.items()}
        return {name: "away" if gone else "ok" for name, gone in away.items() if gone is not None}


class _Store:
    def __init__(self, check: Callable[[], object], patience_s: float) -> None:
        self._check = check
        self._patience_s = patience_s
        self._asked: Future[bool] | None = None
        self._since = 0.0

    async def answers(self) -> bool:
        if self._asked is None or self._asked.done():
            self._asked, self._since = _in_thread(self._check), time.monotonic()
        answer = asyncio.wrap_future(self._asked)
        left = self._since + self._patience_s - time.monotonic()
        await asyncio.wait([answer], timeout=max(left, 0))
        return answer.done() and answer.result()


def _in_thread(check: Callable[[], object]) -> Future[bool]:
    """Whether the check will have passed; the server's end does not wait for it."""
    future: Future[bool] = Future()
    future.set_running_or_notify_cancel()  # who hangs up takes it from nobody else

    def run() -> None:
        try:
            check()
        except CorpusError:
            future.set_result(False)
        except Exception:
            logger.exception("asking a store failed")
            future.set_result(False)
        else:
            future.set_result(True)

    threading.Thread(target=run, name="health", daemon=True).start()
    return future
