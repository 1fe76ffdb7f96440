"""How often the log says why a store fails."""

import logging

import pytest

from corpora.trouble import Trouble


def test_each_reason_is_said_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    caplog.set_level(logging.INFO)
    trouble = Trouble(logging.getLogger("a.store"), lambda: now)
    for second in (0, 1, 59, 60, 61):
        now = float(second)
        for reason in ("full", "locked"):
            trouble.say(reason, "%s after %d", reason, second)
    assert caplog.messages == ["full after 0", "locked after 0", "full after 60", "locked after 60"]


def test_what_was_said_is_not_kept_without_limit(caplog: pytest.LogCaptureFixture) -> None:
    trouble = Trouble(logging.getLogger("a.store"), lambda: 0.0)
    for number in range(1000):
        trouble.say(str(number), "full")
    assert len(trouble._said) <= 100  # pyright: ignore[reportPrivateUsage]
