"""What the log must not have of an error."""

import pytest

from agent.models.keys import without_keys


@pytest.mark.parametrize("said", ["not-a-key", "s3cret%2F", "s3cret/", "Basic bWU6czNjcmV0Lw=="])
def test_neither_a_key_nor_the_account_of_an_address_is_in_what_an_error_says(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:s3cret%2F@models.test/v1")
    monkeypatch.setenv("ODD_BASE_URL", "http://[odd")
    told = without_keys(ValueError(f"refused: {said} at models.test"))
    assert told.startswith("refused: ")
    assert told.endswith("at models.test")
    assert not any(secret in told for secret in ("not-a-key", "s3cret", "bWU6"))
