"""Playing a document in Arrow's own HTML runtime, in a headless browser."""

import html
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

_BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
_OUTCOME = re.compile(r'<pre id="outcome">(.*?)</pre>', re.DOTALL)
_TIMEOUT_S = 120

# Runs before the runtime: page errors are kept, chance is what the probe says.
_BEFORE = """
window.pageErrors = [];
window.chance = 0;
window.addEventListener('error', event => window.pageErrors.push(String(event.message)));
Math.random = () => window.chance;
"""

# Runs after the runtime has begun: every probe plays on from some node and tells which nodes were opened.
_AFTER = """
window.addEventListener('load', () => setTimeout(() => {
    const outcomes = [];
    for (const probe of PROBES) {
        const begin = OPEN_NODES_BY_ORDER.length;
        window.chance = probe.chance;
        for (const [id, value] of Object.entries(probe.variables)) VARS[id].value = value;
        for (const [id, tags] of Object.entries(probe.tags)) CHARS[id].tags = {...tags};
        let failure = null;
        try {
            play_node(probe.node);
            for (const [id, kind, choice] of probe.actions) {
                const wrapper = [...document.querySelectorAll(`.node[data-uid="${id}"]`)].pop();
                if (kind === 'fill') {
                    const field = wrapper.querySelector('input');
                    field.value = choice;
                    field.dispatchEvent(new Event('input', {bubbles: true}));
                    field.dispatchEvent(new Event('keyup', {bubbles: true}));
                    wrapper.querySelector('button').click();
                } else if (kind === 'choose') wrapper.querySelectorAll('li')[choice].click();
                else wrapper.querySelector('button').click();
            }
        } catch (error) { failure = String(error); }
        outcomes.push({
            opened: OPEN_NODES_BY_ORDER.slice(begin).map(node => node.id),
            variables: Object.fromEntries(Object.entries(VARS).map(([id, variable]) => [id, variable.value])),
            tags: Object.fromEntries(Object.entries(CHARS).map(([id, character]) => [id, character.tags])),
            failure,
        });
    }
    const told = document.createElement('pre');
    told.id = 'outcome';
    told.textContent = JSON.stringify({outcomes, errors: window.pageErrors});
    document.body.appendChild(told);
}, 0));
"""


@dataclass(frozen=True)
class Probe:
    """Play on from a node under given circumstances.

    Attributes:
        node: where play begins.
        chance: what every random draw gives, from 0 to 1.
        variables, tags: values set before, by id.
        actions: what the player does: (node, continue | choose | fill, choice or text).
    """

    node: int
    chance: float = 0.0
    variables: tuple[tuple[int, Any], ...] = ()
    tags: tuple[tuple[int, dict[str, str]], ...] = ()
    actions: tuple[tuple[int, str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The probe for the script in the page."""
        return {
            "node": self.node,
            "chance": self.chance,
            "variables": dict(self.variables),
            "tags": dict(self.tags),
            "actions": self.actions,
        }


def browser() -> str | None:
    """A headless browser of this machine."""
    return next((found for name in _BROWSERS if (found := shutil.which(name))), None)


def play(text: str, runtime: Path, probes: list[Probe]) -> tuple[list[dict[str, Any]], list[str]]:
    """Play a document; what each probe came to, and all errors of the page.

    Args:
        text: the document, as saved.
        runtime: the folder of the HTML runtime in a work tree of Arrow.
        probes: where to play from.
    """
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page"
        shutil.copytree(runtime, page)
        (page / "project.js").write_text(f"const PROJECT = {text};", encoding="utf-8")
        before = f"const PROBES = {json.dumps([probe.as_json() for probe in probes])};{_BEFORE}"
        index = (page / "index.html").read_text(encoding="utf-8")
        index = index.replace("<head>", f"<head><script>{before}</script>", 1)
        index = index.replace("</body>", f"<script>{_AFTER}</script></body>", 1)
        (page / "index.html").write_text(index, encoding="utf-8")
        dumped = _dumped(page / "index.html", folder)
    match = _OUTCOME.search(dumped)
    if match is None:
        raise AssertionError(f"the page did not come to an end:\n{dumped[-2000:]}")
    told = cast("dict[str, Any]", json.loads(html.unescape(match[1])))
    return told["outcomes"], told["errors"]


def _dumped(page: Path, folder: str) -> str:
    command = [
        str(browser()),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder}/profile",
        "--virtual-time-budget=10000",
        "--dump-dom",
        page.as_uri(),
    ]
    done = subprocess.run(command, check=True, capture_output=True, timeout=_TIMEOUT_S)
    return done.stdout.decode("utf-8")
