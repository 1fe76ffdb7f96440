"""The page in a real Chromium, on a real server in a process of its own."""

import asyncio
import shutil
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Error, Locator, Page, ViewportSize, expect, sync_playwright

from corpora.samples import SAMPLE
from tests.server_process import PATIENCE_S, running, running_server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = Path(".venv/axe-core/package/axe.min.js")
PATIENCE_MS = 300_000  # readers are nice: beside others who compute they take minutes for what takes seconds
expect.set_options(timeout=PATIENCE_MS)  # five seconds, if nothing is said
MOST_OF_UPLOAD, MOST_OF_MESSAGE = 50_000, 2 * 2**20  # bytes that the servers `sample` and `guarded` take
_LOGGED = 50  # lines
WIDE, NARROW = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)

# Chromium makes its own window of pages, which nobody sees here and which cost more than ours do. Where the option is
# given twice the last one counts, so what Playwright leaves out lest other machines are asked stands here as well.
_LEFT_OUT = (
    *("PreloadTopChromeWebUI", "InitialWebUI", "WebUIToolbar", "WebUILocationBar", "WebUIReloadButton"),
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    *("AimEnabled", "PreconnectToSearch", "OptimizationHints", "NetworkTimeServiceQuerying", "MediaRouter"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "ThirdPartyStoragePartitioning", "PaintHolding"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "LensOverlay"),
)

# To make a script fast takes longer than a page runs; what is compiled is there for the next one.
_SCRIPTS = "--js-flags=--no-opt --no-maglev --no-flush-bytecode"

Serve = Callable[..., str]
OpenPage = Callable[..., Page]


# A page that is used once more has what the one before kept, unless it forgets that: a browser of its own has nothing.
_FORGET = """if (location.protocol === "http:" && window.name !== "used") {
  for (const storage of [sessionStorage, localStorage]) storage.clear();
  window.name = "used";
}"""


class SharedBrowser:
    """A Chromium, and a page of it that tests use in turn: to make one takes twice as long as to load it."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._errors = list[str]()  # what failed in scripts of its pages
        self._said = deque[str](maxlen=20)  # by scripts of its pages, as why one is loaded anew
        self._loop = asyncio.get_running_loop()  # Playwright's own
        self._page: Page | None = None
        asyncio._set_running_loop(None)

    @contextmanager
    def used(self) -> Generator[None]:
        """A test can use it, and fails where a script does; afterwards one can that has an event loop of its own."""
        asyncio._set_running_loop(self._loop)
        try:
            yield
            errors, self._errors = self._errors, []
            assert not errors
        finally:
            asyncio._set_running_loop(None)

    def close(self) -> None:
        """Ends it."""
        asyncio._set_running_loop(self._loop)
        self._browser.close()

    def new_page(self, **options: Any) -> Page:
        """A page in a browser of its own."""
        # Who sees no motion waits for none, and neither does the processor.
        options.setdefault("reduced_motion", "reduce")
        context = self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: self._errors.append(str(error)))
        page.on("console", lambda message: self._said.append(f"{page.url}: {message.text}"))
        return page

    def shown(self) -> str:
        """What its pages show and have said, for whoever asks why a test has failed."""
        pages = [page for context in self._browser.contexts for page in context.pages]
        return "\n\n".join([*(f"{page.url}\n{page.locator('body').inner_text()}" for page in pages), *self._said])

    def page(self, address: str = "about:blank") -> Page:
        """The page that is used again and again, and knows nothing of that; as it is, where it is at that address."""
        if self._page is not None and not self._page.is_closed() and self._page.url != address:
            self.forget()
        if self._page is None or self._page.is_closed():
            self._page = self.new_page()
            self._page.add_init_script(_FORGET)
        return self._page

    def forget(self) -> None:
        """Leaves what the test has opened."""
        for context in self._browser.contexts:
            if self._page is None or self._page.is_closed() or context != self._page.context:
                context.close()
                continue
            for page in context.pages:
                if page != self._page:
                    page.close()
            try:
                self._page.goto("about:blank")
                self._page.evaluate("window.name = ''")
            except Error:  # it goes elsewhere at this moment, as one does whose session has ended
                context.close()
            else:
                context.clear_cookies()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips what needs a browser before a server is started for it."""
    if CHROMIUM is None:
        for item in items:
            if isinstance(item, pytest.Function) and "shared_browser" in item.fixturenames:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed: apt install chromium"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Function) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Says beside a failure what the pages showed, and what their servers have logged last."""
    report = yield
    browser = item.funcargs.get("shared_browser")
    if report.when == "call" and report.failed:
        for url in (url for url in item.funcargs.values() if isinstance(url, str) and url in running):
            report.sections.append((f"The log of {url}", "".join(running[url].log[-_LOGGED:])))
    if report.when == "call" and report.failed and isinstance(browser, SharedBrowser):
        try:
            report.sections.append(("Pages", browser.shown()))
        except Error as error:  # whatever the test has done to them, its own failure is what counts
            report.sections.append(("Pages", str(error)))
    return report


@pytest.fixture(scope="session")
def shared_browser() -> Iterator[SharedBrowser]:
    with sync_playwright() as playwright:
        # Whoever runs tests in a container is root there, for whom Chromium has no sandbox.
        # A process of its own to draw what nobody looks at takes a sixth of the time.
        drawing = ["--disable-gpu", "--in-process-gpu"]
        arguments = ["--no-sandbox", *drawing, _SCRIPTS, f"--disable-features={','.join(_LEFT_OUT)}"]
        shared = SharedBrowser(playwright.chromium.launch(executable_path=CHROMIUM, args=arguments))
        yield shared
        shared.close()


@pytest.fixture
def open_page(shared_browser: SharedBrowser) -> Generator[OpenPage]:
    """`open_page(url, NARROW)`: a page as in a browser of its own; fails where a script of it does.

    With options of the browser's, or `is_new`, it is really made for the test: for one that listens to it.
    """
    opened = list[Page]()

    def open_page(url: str, viewport: ViewportSize = WIDE, *, is_new: bool = False, **options: Any) -> Page:
        page = shared_browser.new_page(**options) if is_new or options or opened else shared_browser.page()
        page.set_viewport_size(viewport)
        opened.append(page)
        load(page, url)
        return page

    with shared_browser.used():
        try:
            yield open_page
        finally:
            shared_browser.forget()


@pytest.fixture(scope="module", params=[WIDE, NARROW], ids=["wide", "narrow"])
def story_viewport(shared_browser: SharedBrowser, request: pytest.FixtureRequest) -> Generator[ViewportSize]:
    """Of one size after the other, for all tests of a module."""
    yield request.param
    with shared_browser.used():
        shared_browser.forget()


@pytest.fixture
def story_page(
    sample: str, shared_browser: SharedBrowser, story_viewport: ViewportSize, tmp_path: Path
) -> Generator[Page]:
    """The page with the sample's story open in it, as `own_story` names it.

    The page is loaded once for many tests: what is known of a story is gone with it when another one is opened. It is
    loaded anew where a test has gone to another project, or has left a document open.
    """
    address, file = f"{sample}/?project=1&tab=Story", own_story(tmp_path)
    with shared_browser.used():
        page = shared_browser.page(address)
        page.set_viewport_size(story_viewport)
        if page.url != address:
            load(page, address)
        open_story(page, file)
        opened = page.get_by_role("heading", name=file.name, exact=True)
        gives_up = page.get_by_role("button", name=f"Open {file.name}", exact=True)
        opened.or_(gives_up).wait_for()
        if gives_up.is_visible():  # what the test before has changed
            gives_up.click()
            opened.wait_for()
        yield page


@pytest.fixture
def serve() -> Generator[Serve]:
    """`serve(data_dir, **environment)`: a server until the end of the test."""
    with ExitStack() as servers:
        yield lambda data_dir, **environment: servers.enter_context(running_server(data_dir, **environment))


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the server `sample`; a test makes one of its own in it."""
    return tmp_path_factory.mktemp("folders")


@pytest.fixture(scope="session")
def sample(ingested: Path, folders: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with the sample in project 1; what a test adds, it adds to a project of its own.

    What it takes is soon too long.
    """
    data_dir = tmp_path_factory.mktemp("page") / "data"
    shutil.copytree(ingested, data_dir)
    most = str(MOST_OF_UPLOAD)
    with running_server(data_dir, FLETCHER_FOLDERS=str(folders), FLETCHER_MAX_UPLOAD_BYTES=most) as url:
        yield url


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with the tokens `tok-red` and `tok-blue`, for the workspaces red and blue.

    `tok-wide` and `tok-narrow` are for who sees it for the first time.
    """
    folder = tmp_path_factory.mktemp("guarded")
    tokens = folder / "tokens"
    tokens.write_text("tok-red red\ntok-blue blue\ntok-wide wide\ntok-narrow narrow\n")
    most = str(MOST_OF_MESSAGE)
    with running_server(folder / "data", FLETCHER_TOKENS=str(tokens), FLETCHER_MAX_MESSAGE_BYTES=most) as url:
        for colour in ("red", "blue"):
            body = {"documents": [{"name": f"{colour}.md", "text": f"The {colour} secret."}]}
            answer = httpx.post(
                f"{url}/projects/{colour}-project/corpus?token=tok-{colour}", json=body, timeout=PATIENCE_S
            )
            assert answer.status_code == 200
        yield url


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


def own_story(tmp_path: Path) -> Path:
    """The sample's story, by a name that it has in one test alone."""
    file = tmp_path / f"{hash(tmp_path)}.arrow"
    if not file.exists():
        shutil.copyfile(SAMPLE.arrow_file, file)
    return file


def open_story(page: Page, file: Path = SAMPLE.arrow_file) -> None:
    """Chooses a file as a visitor does."""
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Open a story").click()
    chosen.value.set_files(str(file))


def node(page: Page, node_id: int) -> Locator:
    """A node of the drawing."""
    return page.locator(f"[data-node='{node_id}']")


def sign_in(page: Page, token: str) -> None:
    """Fills in the form that asks for a token."""
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("tab", name="Projects").wait_for()
    wait_until_it_listens(page)
