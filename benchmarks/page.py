"""What the page in the browser costs: ``python -m benchmarks.page``.

Servers with the page and without it start one after the other in turns; then 20 pages are opened, a question is asked
and a scene of 2,000 nodes is moved, in the system's Chromium. Exit code 1 if a page load moves more than 1.5 MB, an
idle server with the page has 40 MB more than one without, an open page costs more than 10 MB, or starting takes 1.1
times as long.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import BrowserContext, Page, Response, sync_playwright
from rich.console import Console
from rich.table import Table

from benchmarks._server_process import Server, running
from corpora.samples import SAMPLE

_STARTS = 5
_PAGES = 20
_NODES = 2_000
_FRAMES = 120
_MOST = {
    "start, with the page / without": 1.1,
    "idle, MB more with the page": 40,
    "MB an open page": 10,
    "MB a load": 1.5,
}
_ASK = f"/?project=1&tab=Ask&question={SAMPLE.question}"
# Scrolls a step with each frame, and says how many of them there were in a second.
_MOVE = """(frames) => new Promise((done) => {
  const box = document.querySelector(".graph"), began = performance.now();
  let count = 0;
  const step = () => {
    box.scrollBy(7, 5);
    if (++count < frames) requestAnimationFrame(step);
    else done(count / (performance.now() - began) * 1000);
  };
  requestAnimationFrame(step);
})"""


def main() -> int:
    """Prints the figures; returns the exit code."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None or not Path("/proc/self/statm").exists():
        print("left out: it needs Chromium, and memory is read from /proc")
        return 0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        here = Path(folder)
        ingest = [sys.executable, "-m", "fletcher", "ingest", str(SAMPLE.documents), "--project", "1"]
        subprocess.run([*ingest, "--data-dir", "data"], cwd=here, check=True, stdout=subprocess.DEVNULL)
        figures = _starts(here)
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        opened.callback(browser.close)
        window = browser.new_context()
        window.set_default_timeout(120_000)
        server = opened.enter_context(_serving(here, "on"))
        figures |= _pages(server, window)
        figures["frames a second, 2,000 nodes moved"] = _moved(server, window, here)
    table = Table("figure", "value")
    for name, value in figures.items():
        table.add_row(name, f"{value:.2f}")
    Console().print(table)
    return int(any(figures[name] > most for name, most in _MOST.items()))


def _serving(here: Path, page: str) -> Any:
    command = [sys.executable, "-m", "fletcher", "serve", "--data-dir", "data", "--port"]
    return running("fletcher", command, "/healthz", {"FLETCHER_PAGE": page}, here)


def _starts(here: Path) -> dict[str, float]:
    cpu_s, idle = {"on": list[float](), "off": list[float]()}, {"on": list[float](), "off": list[float]()}
    for _ in range(_STARTS):
        for page in ("on", "off"):
            with _serving(here, page) as server:
                cpu_s[page].append(server.cpu_s())
                idle[page].append(server.memory() / 1e6)
    return {
        "start, with the page / without": min(cpu_s["on"]) / min(cpu_s["off"]),
        "idle, MB more with the page": median(idle["on"]) - median(idle["off"]),
    }


def _pages(server: Server, window: BrowserContext) -> dict[str, float]:
    idle, moved = server.memory(), list[int]()
    first = window.new_page()
    first.on("response", lambda response: moved.append(_bytes(response)))
    first.goto(f"{server.url}{_ASK}")
    first.get_by_role("button", name="Ask", exact=True).wait_for()
    first.wait_for_load_state("networkidle")
    loaded, load = server.memory(), sum(moved)
    first_s, again_s = _asked(first), _asked(first)
    one = server.memory()
    for _ in range(_PAGES):
        page = window.new_page()
        page.goto(f"{server.url}{_ASK}")
        page.get_by_role("button", name="Ask", exact=True).wait_for()
    return {
        "MB a load": load / 1e6,
        "MB at the first page": (loaded - idle) / 1e6,
        "MB an open page": (server.memory() - one) / _PAGES / 1e6,
        "seconds from the click to the first cited answer": first_s,
        "the same, the second time": again_s,
    }


def _bytes(response: Response) -> int:
    sizes = response.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]


def _asked(page: Page) -> float:
    """Seconds from the click until the cited page is seen."""
    if page.get_by_role("button", name="Close the source").count():
        page.get_by_role("button", name="Close the source").click()
        page.locator(".page-picture").wait_for(state="detached")
    began = time.perf_counter()
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".page-picture").wait_for()
    return time.perf_counter() - began


def _moved(server: Server, window: BrowserContext, here: Path) -> float:
    story = here / "large.arrow"
    story.write_text(_large_story())
    page = window.new_page()
    page.goto(f"{server.url}/?project=1&tab=Story")
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Open a story").click()
    chosen.value.set_files(story)
    page.locator(f"[data-node='{_NODES + 999}']").wait_for(state="attached")
    return float(page.evaluate(_MOVE, _FRAMES))


def _large_story() -> str:
    """The sample with 2,000 dialogs more in its first scene, each of which leads to the next."""
    document = json.loads(SAMPLE.arrow_file.read_text("utf-8"))
    nodes, places = document["resources"]["nodes"], document["resources"]["scenes"]["0"]["map"]
    speakers = [int(key) for key in document["resources"]["characters"]]
    for number in range(_NODES):
        node_id, speaker = 1000 + number, speakers[number % len(speakers)]
        data = {"character": speaker, "lines": ["A line of what is said", "Another"], "playable": True}
        nodes[str(node_id)] = {"type": "dialog", "name": str(node_id), "data": data}
        places[str(node_id)] = {"offset": [number % 50 * 230, 600 + number // 50 * 130]}
        if number:
            places[str(node_id - 1)]["io"] = [[node_id - 1, 0, node_id, 0]]
    return json.dumps(document)


if __name__ == "__main__":
    sys.exit(main())
