"""Who has signed in stays signed in, whatever others do."""

import pytest

from server.access.browser_sessions import BrowserSessions


def test_whoever_signs_in_without_end_ends_sessions_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.access.browser_sessions._MOST_OF_WORKSPACE", 2)
    sessions = BrowserSessions()
    other = sessions.begin("beta", is_owner=False)
    first, second, third = (sessions.begin("alpha", is_owner=False) for _ in range(3))
    assert sessions.get(other) is not None
    assert sessions.get(first) is None
    assert [sessions.get(kept) is not None for kept in (second, third)] == [True, True]


def test_a_session_ends_after_a_week() -> None:
    now = 0.0
    sessions = BrowserSessions(lambda: now)
    session = sessions.begin("alpha", is_owner=False)
    now = 7 * 24 * 3600.0 - 1
    assert sessions.get(session) is not None
    now += 1
    assert sessions.get(session) is None
