"""The page in a real Chromium, on a real server in a process of its own."""

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.server_process import PATIENCE_S, running_server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = Path(".venv/axe-core/package/axe.min.js")
PATIENCE_MS = 120_000
expect.set_options(timeout=PATIENCE_MS)  # five seconds, if nothing is said
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}

# Chromium makes its own window of pages, which nobody sees here and which cost more than ours do. Where the option is
# given twice the last one counts, so what Playwright leaves out lest other machines are asked stands here as well.
_LEFT_OUT = (
    *("PreloadTopChromeWebUI", "InitialWebUI", "WebUIToolbar", "WebUILocationBar", "WebUIReloadButton"),
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    *("AimEnabled", "PreconnectToSearch", "OptimizationHints", "NetworkTimeServiceQuerying", "MediaRouter"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "ThirdPartyStoragePartitioning", "PaintHolding"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "LensOverlay"),
)

Serve = Callable[..., str]
OpenPage = Callable[..., Page]


# Of a module: while Playwright runs, no test of another one can have an event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt install chromium")
    with sync_playwright() as playwright:
        # Whoever runs tests in a container is root there, for whom Chromium has no sandbox.
        arguments = ["--no-sandbox", f"--disable-features={','.join(_LEFT_OUT)}"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Generator[OpenPage]:
    """`open_page(url, NARROW)`: a page in a browser of its own; fails where a script of it does."""
    contexts, errors = [], list[str]()

    def open_page(url: str, viewport: dict[str, int] | None = None, **options: Any) -> Page:
        context = browser.new_context(viewport=viewport or WIDE, **options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        load(page, url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors


@pytest.fixture
def serve() -> Generator[Serve]:
    """`serve(data_dir, **environment)`: a server until the end of the test."""
    with ExitStack() as servers:
        yield lambda data_dir, **environment: servers.enter_context(running_server(data_dir, **environment))


@pytest.fixture(scope="session")
def sample(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with the sample in project 1; what a test adds, it adds to a project of its own."""
    data_dir = tmp_path_factory.mktemp("page") / "data"
    shutil.copytree(ingested, data_dir)
    with running_server(data_dir) as url:
        yield url


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with two tokens: `tok-red` and `tok-blue`, for the workspaces red and blue."""
    folder = tmp_path_factory.mktemp("guarded")
    tokens = folder / "tokens"
    tokens.write_text("tok-red red\ntok-blue blue\n")
    with running_server(folder / "data", FLETCHER_TOKENS=str(tokens)) as url:
        for colour in ("red", "blue"):
            body = {"documents": [{"name": f"{colour}.md", "text": f"The {colour} secret."}]}
            answer = httpx.post(
                f"{url}/projects/{colour}-project/corpus?token=tok-{colour}", json=body, timeout=PATIENCE_S
            )
            assert answer.status_code == 200
        yield url


@pytest.fixture
def empty(tmp_path: Path, serve: Serve) -> str:
    """The URL of a server without anything in it."""
    return serve(tmp_path / "data")


def load(page: Page, url: str) -> None:
    """Goes to an address, and waits until the page there can be used."""
    page.goto(url)
    wait_until_it_listens(page)


def load_anew(page: Page) -> None:
    """Loads the page once more, and waits until it can be used."""
    page.reload()
    wait_until_it_listens(page)


def wait_until_it_listens(page: Page) -> None:
    """Waits until a page that was loaded hears its server; one that asks for a token hears none."""
    page.wait_for_function("!document.getElementById('popup') || window.did_handshake")


def tab(page: Page, name: str) -> None:
    """Goes to a tab of the page."""
    page.get_by_role("tab", name=name).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()


def sign_in(page: Page, token: str) -> None:
    """Fills in the form that asks for a token."""
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("tab", name="Projects").wait_for()
    wait_until_it_listens(page)
