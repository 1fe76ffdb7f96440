"""How long a turn waits for a provider, and when it gives up."""

import pytest
from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError, ModelOverloadedError, ModelRateLimitError

from agent.models.failures import model_failure
from agent.models.retries import Retries

BUSY = ModelOverloadedError("m", "Overloaded")


def test_waits_grow_are_bounded_and_end() -> None:
    retries = Retries(tries=10)
    waits = [retries.wait_s(failures, BUSY) for failures in range(1, 10)]
    assert all(wait is not None and wait <= 20 for wait in waits)
    assert 0.3 < (waits[0] or 0) < 0.7
    assert (waits[4] or 0) > 5
    assert retries.wait_s(10, BUSY) is None


@pytest.mark.parametrize(("asked_for", "waits"), [(0.0, 0.0), (7.5, 7.5), (60.0, 60.0), (61.0, None), (3600.0, None)])
def test_what_the_provider_asks_for_counts(asked_for: float, waits: float | None) -> None:
    error = ModelRateLimitError("m", "slow down", retry_after=asked_for)
    assert Retries().wait_s(1, error) == waits


def test_where_nobody_listens_it_is_tried_once_more_only() -> None:
    refused = ModelConnectionError("m", "refused", phase="connect")
    assert Retries().wait_s(1, refused) is not None
    assert Retries().wait_s(2, refused) is None
    reset = ModelConnectionError("m", "reset", phase="read")
    assert Retries().wait_s(2, reset) is not None


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "in a minute."),
        (20.0, "in a minute."),
        (float("nan"), "in a minute."),
        (90.0, "in 2 minutes."),
        (7200.0, "in 120 minutes."),
        (100_000.0, "in 28 hours."),
        (1e30, "in some days."),
        (float("inf"), "in some days."),
    ],
)
def test_how_long_to_wait_is_said(seconds: float | None, said: str) -> None:
    error: ModelAPIError = ModelRateLimitError("m", "slow down", retry_after=seconds)
    assert said in model_failure(error, "m").message
