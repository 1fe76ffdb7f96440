"""What goes wrong while an owner tells how far it is has the status that it would have had by itself."""

import httpx
import pytest

from fletcher.api import OwnerRefusal, _received  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(("said", "status"), [('"status": 503', 503), ('"of": "an older server"', 200)])
def test_an_error_that_is_told_has_a_status(said: str, status: int) -> None:
    told = f'event: error\ndata: {{"error": {{"code": "STORAGE_ERROR", "message": "Full."}}, {said}}}\n\n'
    response = httpx.Response(
        200,
        headers={"content-type": "text/event-stream"},
        text=told,
        request=httpx.Request("POST", "http://127.0.0.1/projects/1/corpus"),
    )
    with pytest.raises(OwnerRefusal, match="Full") as refused:
        _received(response, None)
    assert refused.value.status == status
