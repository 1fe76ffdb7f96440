"""While stories are built no garbage is collected; afterwards it is."""

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

from arrow_project.garbage import no_collection
from tests.collecting import collecting


@pytest.mark.parametrize("is_on", [True, False])
def test_garbage_is_collected_again_once_nobody_needs_it_not_to_be(*, is_on: bool) -> None:
    with collecting(is_on=is_on):
        with no_collection():
            assert not gc.isenabled()
        assert gc.isenabled() is is_on


def test_it_stays_off_until_the_last_one_ends() -> None:
    """Whoever began as another had it off, and was looking as that one ended, left it off for ever."""
    first, second = no_collection(), no_collection()
    with collecting(is_on=True):
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert not gc.isenabled()
        second.__exit__(None, None, None)
        assert gc.isenabled()


def test_threads_that_begin_and_end_at_once_leave_it_on() -> None:
    def often() -> None:
        for _ in range(20_000):
            with no_collection():
                pass

    with collecting(is_on=True):
        with ThreadPoolExecutor(3) as threads:
            for each in [threads.submit(often) for _ in range(3)]:
                each.result()
        assert gc.isenabled()
