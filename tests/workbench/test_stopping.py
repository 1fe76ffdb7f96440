"""What nobody sees any more is stopped: a turn ends with the session, and with the page."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from threading import Event

import httpx
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from corpora.samples import SAMPLE
from fletcher.loopback import bind, serving
from tests.end_to_end.messages_api import Hang, MessagesApi, Text
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, server_process
from tests.workbench.conftest import OpenPage, load, load_anew, sign_in
from tests.workbench.test_asking import ask
from tests.workbench.test_page_sockets import PageSocket, cookie_of

# A server that waits for a page's connection for a second, and not half a minute.
_IMPATIENT = "from fletcher.__main__ import main; from workbench import shell; shell._RECONNECT_S = 1.0; main()"
_STOPPED = "What was under way when the page was loaded anew was stopped"


@pytest.fixture(scope="module")
def model() -> MessagesApi:
    """Begins to speak and never ends, to each test."""
    return MessagesApi([(Text(["The lamp"]), Hang())] * 9)


@pytest.fixture(scope="module")
def url(model: MessagesApi, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("stopping")
    tokens = folder / "tokens"
    tokens.write_text("tok-red red\n")
    with bind("127.0.0.1", 0) as bound, serving(model.app(), 2**20, bound) as api:
        given = {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": api, "FLETCHER_TOKENS": str(tokens)}
        command = [sys.executable, "-c", _IMPATIENT, "serve", "--port", "0", "--data-dir", folder / "data"]
        with server_process(command, folder, CLEAN_ENVIRONMENT | given) as server:
            body = {"documents": [{"name": "lamp.md", "text": "The lamp is lit at dusk."}]}
            added = httpx.post(f"{server.url}/projects/1/corpus?token=tok-red", json=body, timeout=PATIENCE_S)
            assert added.status_code == 200
            yield server.url


@pytest.fixture
def provider(model: MessagesApi) -> Iterator[MessagesApi]:
    """The model while it speaks to one test; nobody listens to it any more when that ends."""
    yield model
    if model.hanging.is_set():
        assert model.hung_up.wait(PATIENCE_S)
    model.hanging.clear()
    model.hung_up.clear()


def change_without_end(page: Page, provider: MessagesApi) -> None:
    """Signs in, opens the sample's story, and asks for a change that is under way afterwards."""
    sign_in(page, "tok-red")
    page.get_by_role("button", name="Open the sample story").click()
    page.get_by_role("textbox", name="Message").fill("make it darker")
    page.get_by_role("button", name="Apply", exact=True).click()
    assert provider.hanging.wait(PATIENCE_S)
    page.locator(".change .answer", has_text="The lamp").wait_for()  # the browser knows as well


def lose(broken: Event, socket: WebSocketRoute) -> None:
    """What is said while it is broken reaches nobody."""
    server = socket.connect_to_server()
    socket.on_message(lambda message: None if broken.is_set() else server.send(message))


def test_a_turn_ends_when_its_browser_signs_out(url: str, provider: MessagesApi, open_page: OpenPage) -> None:
    page = open_page(url)
    sign_in(page, "tok-red")
    asking = page.context.new_page()
    load(asking, f"{url}/?project=1&tab=Ask")
    ask(asking, "When is the lamp lit?")
    assert provider.hanging.wait(PATIENCE_S)
    page.get_by_role("button", name="Sign out").click()
    assert provider.hung_up.wait(PATIENCE_S)
    asking.get_by_label("Token").wait_for()


def test_a_turn_ends_when_its_page_is_closed(url: str, provider: MessagesApi, open_page: OpenPage) -> None:
    page = open_page(f"{url}/?project=1&tab=Ask")
    sign_in(page, "tok-red")
    ask(page, "When is the lamp lit?")
    assert provider.hanging.wait(PATIENCE_S)
    page.close()
    assert provider.hung_up.wait(PATIENCE_S)


def test_a_turn_is_stopped_by_its_button(url: str, provider: MessagesApi, open_page: OpenPage) -> None:
    page = open_page(f"{url}/?project=1&tab=Ask")
    sign_in(page, "tok-red")
    ask(page, "When is the lamp lit?")
    assert provider.hanging.wait(PATIENCE_S)
    expect(page.get_by_role("button", name="Search")).to_be_disabled()  # or the answer could not be stopped any more
    page.locator(".answer").filter(has_text="The lamp").wait_for()
    page.get_by_role("button", name="Stop").click()
    assert provider.hung_up.wait(PATIENCE_S)
    assert "The lamp" in page.locator(".answer").filter(has_text="(stopped").inner_text()


def test_a_turn_is_stopped_when_its_page_is_loaded_anew_and_that_is_said(
    url: str, provider: MessagesApi, open_page: OpenPage
) -> None:
    page = open_page(f"{url}/?project=1&tab=Story")
    change_without_end(page, provider)
    load_anew(page)
    page.get_by_text(_STOPPED).wait_for()
    assert provider.hung_up.wait(PATIENCE_S)


def test_a_turn_is_stopped_and_that_is_said_where_its_page_is_loaded_anew_beside_a_connection_that_is_half_open(
    url: str, provider: MessagesApi, open_page: OpenPage
) -> None:
    page = open_page(f"{url}/?project=1&tab=Story")
    change_without_end(page, provider)
    joining = page.evaluate("({tab_id: TAB_ID, document_id: documentId, next_message_id: nextMessageId})")
    with ExitStack() as opened:
        PageSocket(opened, url, cookie_of(page.context), page.evaluate("clientId"), **joining)
        load_anew(page)
        page.get_by_text(_STOPPED).wait_for()
        assert provider.hung_up.wait(PATIENCE_S)


def test_a_click_that_the_server_has_not_heard_as_the_connection_broke_off_is_said(
    url: str, open_page: OpenPage
) -> None:
    page, broken = open_page(f"{url}/?project=1&tab=Story", is_new=True), Event()
    sign_in(page, "tok-red")
    page.route_web_socket("**/socket.io/**", partial(lose, broken))
    load_anew(page)
    page.get_by_role("button", name="Open the sample story").click()
    page.get_by_role("textbox", name="Message").fill("make it darker")
    page.wait_for_function("window.socket.sendBuffer.length === 0")
    broken.set()
    page.get_by_role("button", name="Apply", exact=True).click()
    broken.clear()
    page.evaluate("socket.disconnect().connect()")
    page.get_by_text("What was clicked last may not have reached the server").wait_for()
    assert page.locator(".change .question").count() == 0


def test_a_turn_that_ends_with_its_page_while_the_connection_is_away_is_said_to_have_changed_nothing(
    url: str, provider: MessagesApi, open_page: OpenPage
) -> None:
    page = open_page(f"{url}/?project=1&tab=Story")
    change_without_end(page, provider)
    page.evaluate("socket.disconnect()")
    assert provider.hung_up.wait(PATIENCE_S)
    load_anew(page)
    page.get_by_text(_STOPPED).wait_for()
    page.get_by_role("heading", name=SAMPLE.arrow_file.name, exact=True).wait_for()
    load_anew(page)  # it is said once
    page.get_by_role("heading", name=SAMPLE.arrow_file.name, exact=True).wait_for()
    assert page.get_by_text(_STOPPED).count() == 0


def test_a_message_that_was_stopped_can_be_sent_again(url: str, provider: MessagesApi, open_page: OpenPage) -> None:
    page = open_page(f"{url}/?project=1&tab=Story")
    change_without_end(page, provider)
    page.get_by_role("button", name="Stop").click()
    page.wait_for_function("document.querySelector('.change textarea').value === 'make it darker'")
