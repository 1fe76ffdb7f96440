"""What nobody sees any more is stopped: a turn ends with the session, and with the page."""

from collections.abc import Iterator

import httpx
import pytest

from fletcher.loopback import bind, serving
from tests.end_to_end.messages_api import Hang, MessagesApi, Text
from tests.server_process import PATIENCE_S, running_server
from tests.workbench.conftest import OpenPage, load, load_anew, sign_in
from tests.workbench.test_asking import ask


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
        with running_server(folder / "data", 0, **given) as url:
            body = {"documents": [{"name": "lamp.md", "text": "The lamp is lit at dusk."}]}
            added = httpx.post(f"{url}/projects/1/corpus?token=tok-red", json=body, timeout=PATIENCE_S)
            assert added.status_code == 200
            yield url


@pytest.fixture
def provider(model: MessagesApi) -> Iterator[MessagesApi]:
    """The model while it speaks to one test; nobody listens to it any more when that ends."""
    yield model
    if model.hanging.is_set():
        assert model.hung_up.wait(PATIENCE_S)
    model.hanging.clear()
    model.hung_up.clear()


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
    assert page.get_by_role("button", name="Search").is_disabled()  # or the answer could not be stopped any more
    page.locator(".answer").filter(has_text="The lamp").wait_for()
    page.get_by_role("button", name="Stop").click()
    assert provider.hung_up.wait(PATIENCE_S)
    assert "The lamp" in page.locator(".answer").filter(has_text="(stopped").inner_text()


def test_a_turn_is_stopped_when_its_page_is_loaded_anew_and_that_is_said(
    url: str, provider: MessagesApi, open_page: OpenPage
) -> None:
    page = open_page(f"{url}/?project=1&tab=Story")
    sign_in(page, "tok-red")
    page.get_by_role("button", name="Open the sample story").click()
    page.get_by_role("textbox", name="Message").fill("make it darker")
    page.get_by_role("button", name="Apply", exact=True).click()
    assert provider.hanging.wait(PATIENCE_S)
    load_anew(page)
    page.get_by_text("What was under way when the page was loaded anew was stopped").wait_for()
    assert provider.hung_up.wait(PATIENCE_S)


def test_a_message_that_was_stopped_can_be_sent_again(url: str, provider: MessagesApi, open_page: OpenPage) -> None:
    page = open_page(f"{url}/?project=1&tab=Story")
    sign_in(page, "tok-red")
    page.get_by_role("button", name="Open the sample story").click()
    page.get_by_role("textbox", name="Message").fill("make it darker")
    page.get_by_role("button", name="Apply", exact=True).click()
    assert provider.hanging.wait(PATIENCE_S)
    page.get_by_role("button", name="Stop").click()
    page.wait_for_function("document.querySelector('.change textarea').value === 'make it darker'")
