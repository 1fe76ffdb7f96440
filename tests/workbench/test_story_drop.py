"""A story that is sent to a page, by a program that does not care what the page would send."""

import html
import re
from typing import Any

import httpx
import pytest

from corpora.samples import SAMPLE
from server import RequestError
from tests.server_process import PATIENCE_S
from tests.workbench.conftest import MOST_OF_MESSAGE
from workbench.story.drop import read_back

_SIGNED_IN = {"Authorization": "Bearer tok-red"}
_FORM = "multipart/form-data; boundary=x"


def refusal(url: str, **sent: Any) -> tuple[int, str, str]:
    """Status, code and sentence of what is answered to a story that is sent to a page of its own."""
    with httpx.Client(base_url=url, headers=_SIGNED_IN, timeout=PATIENCE_S) as browser:
        found = re.search(r"""["']client_id["']: ["']([^"']+)""", html.unescape(browser.get("/").text))
        assert found is not None
        answer = browser.post(f"/_nicegui/client/{found[1]}/story", **sent)
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["message"]


@pytest.mark.parametrize("is_announced", [True, False], ids=["announced", "in chunks"])
def test_a_story_that_is_too_long_is_told_the_limit(guarded: str, *, is_announced: bool) -> None:
    head, tail = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.arrow"\r\n\r\n', b"\r\n--x--\r\n"
    body = head + b"x" * (MOST_OF_MESSAGE + 1) + tail
    content = body if is_announced else iter([body[: MOST_OF_MESSAGE // 2], body[MOST_OF_MESSAGE // 2 :]])
    status, code, message = refusal(guarded, content=content, headers={"Content-Type": _FORM})
    assert (status, code) == (413, "PAYLOAD_TOO_LARGE")
    assert str(MOST_OF_MESSAGE) in message
    assert "FLETCHER_MAX_MESSAGE_BYTES" in message


@pytest.mark.parametrize(
    "sent",
    [
        {"content": b"--y\r\nnothing", "headers": {"Content-Type": _FORM}},
        {"content": b"{}", "headers": {"Content-Type": "multipart/form-data"}},
        {"content": b"{}", "headers": {"Content-Type": "application/json"}},
        {"files": [("files", ("a.arrow", b"{}")), ("files", ("b.arrow", b"{}"))]},
        {"data": {"files": "{}"}},
        {},
    ],
    ids=["broken", "without boundary", "no form", "two files", "no file", "empty"],
)
def test_what_is_no_form_with_one_story_is_refused(guarded: str, sent: dict[str, Any]) -> None:
    status, code, message = refusal(guarded, **sent)
    assert (status, code) in [(400, "INVALID_REQUEST"), (422, "INVALID_REQUEST")]
    assert message


def test_a_form_without_files_is_not_taken_apart(guarded: str) -> None:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    status, code, message = refusal(guarded, content=b"&" * MOST_OF_MESSAGE, headers=kind)
    assert (status, code) == (422, "INVALID_REQUEST")
    assert "no form with files" in message


def test_a_form_in_another_encoding_is_not_read(guarded: str) -> None:
    kind = {"Content-Type": "Multipart/form-data; boundary=x; charset=punycode"}
    status, code, message = refusal(guarded, content=b"--x\r\nnothing", headers=kind)
    assert (status, code) == (422, "INVALID_REQUEST")
    assert "UTF-8" in message


def test_a_file_that_is_no_story_is_called_so_by_its_own_name(guarded: str) -> None:
    status, _, message = refusal(guarded, files={"files": ('the "old" one.txt', b"hello")})
    assert status == 422
    assert message.startswith('the "old" one.txt is no .arrow file: ')


@pytest.mark.parametrize("path", ["/a" * 500_000, "/a\0.arrow", "story.arrow", "/stories/../etc/story.arrow"])
def test_a_path_that_no_picked_file_has_is_not_looked_at(path: str) -> None:
    with pytest.raises(RequestError, match="No file that was picked has the path"):
        read_back("story.arrow", SAMPLE.arrow_file.read_bytes(), path, "")
