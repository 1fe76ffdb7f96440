"""Whatever others have written is text: in names, documents, stories, answers and errors, on every tab."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Dialog, Page

from corpora.samples import SAMPLE
from tests.workbench.conftest import OpenPage, node, open_story, tab
from tests.workbench.test_asking import ask
from tests.workbench.test_change import say

# Each would call `alert`, load something from elsewhere, or leave an element with the class `hostile` behind.
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<b class=hostile>bold</b>",
    "</label><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</text></svg><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    "`${alert(1)}`",
    "{{ constructor.constructor('alert(1)')() }}",
    "${alert(1)}",
    "[link](javascript:alert(1))",
    "![picture](https://evil.example/a.png)",
    "**bold** _italic_ `code`",
    "<a href=javascript:alert(1) class=hostile>click</a>",
    "<iframe src=https://evil.example class=hostile></iframe>",
    "<style>body{display:none}</style>",
    "<link rel=stylesheet href=https://evil.example/a.css>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<form action=https://evil.example class=hostile><input></form>",
    "<object data=https://evil.example class=hostile></object>",
    "<math><mi xlink:href=javascript:alert(1)>x</mi></math>",
    "<template class=hostile>x</template>",
    "<!-- --><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#x3c;img src=x onerror=alert(1)&#x3e;",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
    "</textarea><img src=x onerror=alert(1)>",
)


def hostile_story(path: Path) -> Path:
    """The sample's story with a hostile text in every place where one may stand."""
    document = json.loads(SAMPLE.arrow_file.read_text("utf-8"))
    texts = iter(HOSTILE * 4)
    resources = document["resources"]
    document["title"] = next(texts)
    for scene in resources["scenes"].values():
        scene["name"] = next(texts)
    for character in resources["characters"].values():
        character["name"] = next(texts)
    for one in resources["nodes"].values():
        one["name"], one["notes"] = next(texts), next(texts)
        for field in ("title", "content", "monolog", "label", "plaque", "reason"):
            if field in one["data"]:
                one["data"][field] = next(texts)
        for field in ("lines", "actions"):
            if field in one["data"]:
                one["data"][field] = [next(texts) for _ in one["data"][field]]
    path.write_text(json.dumps(document))
    return path


@pytest.fixture
def page(sample: str, open_page: OpenPage) -> Iterator[Page]:
    """A page of a project whose documents are hostile; it may ask nobody else and open nothing."""
    documents = [
        {"name": f"{number} {text.replace('/', '|').replace(chr(92), '|')}.md", "text": f"The lamp says: {text}"}
        for number, text in enumerate(HOSTILE)
    ]
    answer = httpx.post(f"{sample}/projects/hostile/corpus", json={"documents": documents}, timeout=120)
    assert {entry["status"] for entry in answer.json()["documents"]} <= {"searchable", "indexed", "unchanged"}
    page, ran, asked = open_page(f"{sample}/?project=hostile", is_new=True), list[str](), list[str]()

    def note(dialog: Dialog) -> None:
        ran.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    page.on("request", lambda request: asked.append(request.url))
    yield page
    assert not ran
    assert not [url for url in asked if not url.startswith((sample, "data:", "blob:"))]


def is_text(page: Page) -> None:
    """No hostile text has become anything else."""
    assert page.locator(".hostile").count() == 0
    assert page.evaluate("document.querySelectorAll('iframe, object, math, [onerror], [onload]').length") == 0
    assert page.get_by_role("tab", name="Ask").is_visible()


def test_documents_and_answers_are_text(page: Page) -> None:
    tab(page, "Documents")
    page.get_by_role("button", name="0 <script>alert(1)<|script>.md", exact=True).click()
    page.get_by_role("region", name="Text of the document").get_by_text("<script>alert(1)</script>").wait_for()
    is_text(page)
    tab(page, "Ask")
    ask(page, "What does the lamp say?", "Search")
    page.get_by_role("button", name="[12]").click()
    is_text(page)
    ask(page, "What does the lamp say?")
    page.get_by_role("button", name="[1]").first.wait_for()
    is_text(page)


def test_stories_and_what_is_said_of_them_are_text(page: Page, tmp_path: Path) -> None:
    tab(page, "Story")
    open_story(page, hostile_story(tmp_path / "a <img src=x onerror=alert(1)>.arrow"))
    for node_id in (10, 11, 12, 13):
        node(page, node_id).click()
        page.get_by_role("heading", name=f"Node {node_id}").wait_for()
        is_text(page)
    page.get_by_text("Checks:").click()
    page.get_by_text("Outline", exact=True).click()
    say(page, "<img src=x onerror=alert(1)> delete node 13", "Preview")
    page.locator(".change .answer").last.wait_for()
    is_text(page)
    say(page, "delete node 13", "Preview")
    page.locator(".graph .removed").first.wait_for()
    is_text(page)


def test_errors_are_text(page: Page, tmp_path: Path) -> None:
    tab(page, "Story")
    broken = tmp_path / "<b class=hostile>x<|b>.arrow"
    broken.write_text('{"<b class=hostile>": 1}')
    open_story(page, broken)
    page.get_by_text("cannot be opened").wait_for()
    is_text(page)
    tab(page, "Projects")
    page.get_by_role("textbox", name="New project").fill("<b class=hostile>x</b>")
    page.get_by_role("button", name="New", exact=True).click()
    page.get_by_text("<b class=hostile>").first.wait_for()
    is_text(page)
