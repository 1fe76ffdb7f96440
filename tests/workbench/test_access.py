"""Who sees the page, and what: tokens, hosts, origins and other sites."""

import html
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from starlette.responses import PlainTextResponse
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from fletcher.loopback import bind, serving
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, running_server, server_process
from tests.workbench.conftest import OpenPage, Serve, load, sign_in, tab
from tests.workbench.test_page_sockets import PageSocket, signed_in
from workbench import shell


def test_a_token_is_asked_for_and_opens_its_workspace_alone(guarded: str, open_page: OpenPage) -> None:
    page = open_page(guarded)
    page.get_by_label("Token").fill("tok-green")
    page.get_by_role("button", name="Sign in").click()
    assert "opens nothing" in page.get_by_role("alert").inner_text()
    page.get_by_label("Token").fill("tok-red")
    page.get_by_role("button", name="Sign in").click()
    tab(page, "Documents")
    page.get_by_role("button", name="red.md", exact=True).wait_for()
    assert "blue" not in page.content()
    load(page, f"{guarded}/?project=blue-project&tab=Documents")
    page.get_by_text("Nothing is here yet").first.wait_for()
    assert "blue.md" not in page.content()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").wait_for()


def test_signing_out_clears_what_the_tab_keeps_of_its_own_workspace(guarded: str, open_page: OpenPage) -> None:
    page = open_page(guarded)
    sign_in(page, "tok-red")
    kept = ["fletcher/ask/{}/1", "fletcher/story/{}", "fletcher/story/{}/text"]
    others = sorted(key.format(workspace) for key in kept for workspace in ("blue", "red-team", "re", "text"))
    own = [key.format("red") for key in kept]
    page.evaluate("(keys) => keys.forEach((key) => sessionStorage.setItem(key, '{}'))", [*own, *others])
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").wait_for()
    assert page.evaluate("Object.keys(sessionStorage).sort()") == others


def test_the_form_leads_on_to_the_page_that_was_asked_for(guarded: str) -> None:
    wanted = {"project": "red-project", "tab": "Ask", "question": 'Who "<b>" & why?'}
    form = httpx.get(guarded, params=wanted | {"token": "wrong", "next": "https://evil.example"}, timeout=PATIENCE_S)
    (action,) = re.findall(r'action="([^"]*)"', form.text)
    answer = httpx.post(guarded + html.unescape(action), data={"token": "tok-red"}, timeout=PATIENCE_S)
    leads_to = urlsplit(answer.headers["location"])
    assert (answer.status_code, leads_to.netloc, leads_to.path) == (303, "", "/")
    assert dict(parse_qsl(leads_to.query)) == wanted


def test_the_form_takes_nothing_of_an_address_that_is_longer_than_a_pages(guarded: str) -> None:
    with httpx.Client(base_url=guarded, timeout=PATIENCE_S) as http:
        assert "%F0%9F%92%A1" in http.get("/", params={"question": "\U0001f4a1" * 1000, "tab": "Ask"}).text
        assert "question" not in http.get("/", params={"question": "x" * 20_000}).text


def test_a_server_that_was_started_again_asks_for_the_token(tmp_path: Path, open_page: OpenPage) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("tok-red red\n")
    with running_server(tmp_path / "data", FLETCHER_TOKENS=str(tokens)) as url:
        page = open_page(f"{url}/?project=reds&tab=Documents")
        sign_in(page, "tok-red")
        page.get_by_text("Project reds").wait_for()
    page.get_by_text("Is it running?").wait_for()
    with running_server(tmp_path / "data", port=urlsplit(url).port or 0, FLETCHER_TOKENS=str(tokens)):
        page.get_by_label("Token").wait_for()
        sign_in(page, "tok-red")
        page.get_by_text("Project reds").wait_for()


def test_a_page_whose_socket_never_opened_says_so(sample: str, open_page: OpenPage) -> None:
    page = open_page("about:blank", is_new=True)
    page.add_init_script("const Real = WebSocket; WebSocket = function () { return new Real('ws://127.0.0.1:1'); }")
    page.goto(sample)
    page.get_by_text("Is it running?").wait_for()


def test_the_session_is_no_token_and_no_script_reads_it(guarded: str, open_page: OpenPage) -> None:
    page = open_page(guarded)
    page.get_by_label("Token").fill("tok-red")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("tab", name="Projects").wait_for()
    (cookie,) = page.context.cookies()
    assert cookie.get("httpOnly")
    assert cookie.get("sameSite") == "Strict"
    assert "tok-red" not in str(cookie)
    assert page.evaluate("document.cookie") == ""


def test_nothing_of_the_page_but_the_form_is_there_without_a_token(guarded: str) -> None:
    assert "Sign in" in httpx.get(guarded, timeout=PATIENCE_S).text
    assert httpx.get(f"{guarded}/_nicegui/3.18.0/static/nicegui.js", timeout=PATIENCE_S).status_code == 401
    assert httpx.post(f"{guarded}/_nicegui/client/x/upload/1", files={"f": b"x"}, timeout=PATIENCE_S).status_code == 401
    with pytest.raises(InvalidStatus):
        connect(
            guarded.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket", open_timeout=PATIENCE_S
        )


def test_an_address_without_anything_makes_no_page(sample: str) -> None:
    for path in ("/_nicegui/nothing", "/_nicegui/3.18.0/dynamic_resources/nothing"):
        answer = httpx.get(sample + path, timeout=PATIENCE_S)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("token", ["tok-red", "a-guess"])
def test_no_token_is_taken_from_the_address_of_the_page(guarded: str, token: str) -> None:
    answer = httpx.get(f"{guarded}/?tab=Ask&token={token}", timeout=PATIENCE_S)
    assert answer.status_code == 401
    assert "A token in the page&#x27;s address is not looked at" in answer.text
    assert 'action="/sign-in?tab=Ask"' in answer.text
    assert token not in answer.text
    assert "set-cookie" not in answer.headers


def test_the_form_takes_no_more_than_a_token(guarded: str) -> None:
    answer = httpx.post(f"{guarded}/sign-in", content=b"token=" + b"x" * 1_000_000, timeout=PATIENCE_S)
    assert answer.status_code == 401
    assert "opens nothing" in answer.text


@pytest.mark.parametrize("path", ["/", "/sign-in", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"])
def test_pages_of_other_sites_are_refused(sample: str, path: str) -> None:
    assert httpx.get(sample + path, headers={"Origin": "https://evil.example"}, timeout=PATIENCE_S).status_code == 403
    assert httpx.get(sample + path, headers={"Sec-Fetch-Site": "cross-site"}, timeout=PATIENCE_S).status_code == 403
    assert httpx.get(sample + path, headers={"Host": "evil.example"}, timeout=PATIENCE_S).status_code == 403


def test_the_pages_socket_is_refused_to_other_sites(sample: str) -> None:
    address = sample.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    with pytest.raises(InvalidStatus):
        connect(address, additional_headers={"Origin": "https://evil.example"}, open_timeout=PATIENCE_S)


def test_another_site_cannot_add_documents(sample: str, open_page: OpenPage) -> None:
    with bind("127.0.0.1", 0) as bound, serving(PlainTextResponse("evil"), 2**20, bound) as other_site:
        page = open_page(other_site)
        with page.expect_response(f"{sample}/**") as answered:
            page.evaluate(
                """(url) => {
                    const form = new FormData();
                    form.append("files", new File(["x"], "evil.md"));
                    fetch(url, {method: "POST", mode: "no-cors", credentials: "include", body: form});
                }""",
                f"{sample}/projects/attacked/corpus",
            )
        assert answered.value.status == 403
    assert httpx.get(f"{sample}/projects/attacked/documents", timeout=PATIENCE_S).status_code == 404


def test_no_other_page_can_frame_it(sample: str) -> None:
    headers = httpx.get(sample, timeout=PATIENCE_S).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"


def test_clients_that_know_only_host_and_port_still_have_their_socket(sample: str) -> None:
    with connect(sample.replace("http", "ws") + "/", open_timeout=PATIENCE_S) as socket:
        socket.send('{"type": "hello", "dialect": "fletcher"}')
        assert socket.recv(timeout=PATIENCE_S)


def test_the_page_can_be_left_out(tmp_path: Path, serve: Serve) -> None:
    url = serve(tmp_path / "data", FLETCHER_PAGE="off")
    assert httpx.get(url, timeout=PATIENCE_S).status_code == 404
    assert httpx.get(f"{url}/healthz", timeout=PATIENCE_S).status_code == 200


# A workspace's forty pages are the same rule, and take ten seconds.
_FEW_PAGES = "from fletcher.__main__ import main; from workbench import shell; shell._MOST_OF_WORKSPACE = 4; main()"


def test_so_many_pages_are_open_and_no_more_and_another_workspace_still_has_room(tmp_path: Path) -> None:
    most: Any = shell
    assert (most._MOST_PAGES, most._MOST_OF_WORKSPACE) == (60, 24)
    tokens = tmp_path / "tokens"
    tokens.write_text("tok-red red\ntok-blue blue\n")
    command = [sys.executable, "-c", _FEW_PAGES, "serve", "--port", "0", "--data-dir", tmp_path / "data"]
    with (
        server_process(command, tmp_path, CLEAN_ENVIRONMENT | {"FLETCHER_TOKENS": str(tokens)}) as server,
        httpx.Client(base_url=server.url, headers={"Authorization": "Bearer tok-red"}, timeout=PATIENCE_S) as red,
    ):
        assert {red.get("/").status_code for _ in range(6)} == {200}  # nobody looks at them
        with ExitStack() as opened:
            cookie = signed_in(server.url, "tok-red")
            for _ in range(4):
                PageSocket(opened, server.url, cookie)
            refused = red.get("/")
            other = httpx.get(server.url, headers={"Authorization": "Bearer tok-blue"}, timeout=PATIENCE_S)
    assert (refused.status_code, "Close some" in refused.text) == (503, True)
    assert other.status_code == 200
