"""How many files and sockets the process may have open at once."""

import sys

import pytest

from server import raise_descriptors
from server.limits.descriptors import descriptors

if sys.platform != "win32":
    import resource

    @pytest.mark.parametrize(
        ("allowed", "becomes"),
        [((1024, 524_288), 10_240), ((1024, 4096), 4096), ((1024, 1024), 1024), ((65_536, 524_288), 65_536)],
    )
    def test_it_has_as_many_as_the_system_allows_but_for_more_than_are_needed(
        monkeypatch: pytest.MonkeyPatch, allowed: tuple[int, int], becomes: int
    ) -> None:
        limits = {resource.RLIMIT_NOFILE: allowed}
        monkeypatch.setattr(resource, "getrlimit", limits.__getitem__)
        monkeypatch.setattr(resource, "setrlimit", limits.__setitem__)
        raise_descriptors()
        assert limits == {resource.RLIMIT_NOFILE: (becomes, allowed[1])}
        assert descriptors() == becomes

    def test_a_system_that_refuses_leaves_it_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise ValueError

        monkeypatch.setattr(resource, "getrlimit", lambda _: (256, resource.RLIM_INFINITY))
        monkeypatch.setattr(resource, "setrlimit", refuse)
        raise_descriptors()
        assert descriptors() == 256
