"""A socket speaks for one page of its own workspace, for as long as its browser is signed in."""

import html
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from playwright.sync_api import BrowserContext
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from corpora.samples import SAMPLE
from tests.server_process import PATIENCE_S
from tests.workbench.conftest import OpenPage, load, load_anew, open_story, sign_in, tab
from workbench.story.open_story import BLANK

EVENT, ANSWER = "42", "43"  # of Socket.IO, in which the page's library speaks
JOINING = {"tab_id": "t", "document_id": "d", "next_message_id": 0}


class PageSocket:
    """A page as a program loads it, with a socket that asks for it, or for `page_id`; empty for none yet."""

    def __init__(self, opened: ExitStack, url: str, cookie: str, page_id: str | None = None, **joining: object) -> None:
        self.html = httpx.get(url, headers={"Cookie": cookie}, timeout=PATIENCE_S).text
        found = re.search(r"""["']client_id["']: ["']([^"']+)""", html.unescape(self.html))
        assert found is not None
        self.page_id = found[1]
        query = {"EIO": 4, "transport": "websocket", "implicit_handshake": "true", "client_id": self.page_id} | JOINING
        if page_id is not None:
            query |= {"client_id": page_id} if page_id else {"implicit_handshake": "false", "client_id": ""}
        query |= joining
        address = f"{url.replace('http', 'ws')}/_nicegui_ws/socket.io/?{urlencode(query)}"
        self._socket: ClientConnection = opened.enter_context(
            # What nobody reads is kept: else its end would not be read either.
            connect(
                address,
                additional_headers={"Cookie": cookie},
                proxy=None,
                open_timeout=PATIENCE_S,
                max_queue=None,
            )
        )
        self._socket.recv(PATIENCE_S)
        self._socket.send("40")
        self.greeting = str(self._socket.recv(PATIENCE_S))

    def send(self, message: str) -> None:
        """Says something as it is."""
        self._socket.send(message)

    def element(self, tag: str) -> int:
        """The id of the first element of the page whose tag has this in it."""
        return next(int(key) for key, element in self._elements.items() if tag in element.get("tag", ""))

    @property
    def _elements(self) -> dict[str, Any]:
        found = re.search(r"String\.raw`(.*?)`", self.html, re.DOTALL)
        assert found is not None
        return json.loads(html.unescape(found[1]))

    def ask(self, name: str, data: dict[str, Any]) -> str:
        """What the server answers to an event; and what it said before, joined."""
        self._socket.send(f"{EVENT}7{json.dumps([name, data], ensure_ascii=False)}")
        return self._hear(lambda said: said.startswith(f"{ANSWER}7"))

    def until(self, words: str) -> str:
        """All messages up to the first one with these words, joined."""
        return self._hear(lambda said: words in said)

    def _hear(self, is_awaited: Callable[[str], bool]) -> str:
        heard = [""]
        while not is_awaited(heard[-1]):
            heard.append(str(self._socket.recv(PATIENCE_S)))
            if heard[-1] == "2":
                self._socket.send("3")
        return "".join(heard)

    def choose(self, page: "PageSocket", tab: object) -> str:
        """Says that on that page a tab was chosen."""
        told = next(told for tag, told in page.fields() if "tabs" in tag)
        return self.ask("event", told | {"args": [json.dumps(tab)]})

    def tell(self, listener: str, words: str, said: object) -> str:
        """Says something to the first element that has these words in it and listens to this; as `ask`."""
        return self.ask(
            "event",
            next(
                {"client_id": self.page_id, "id": int(key), "listener_id": event["listener_id"]}
                for key, element in self._elements.items()
                for event in element.get("events", ())
                if event["type"] == listener and words in json.dumps(element)
            )
            | {"args": [json.dumps(said)]},
        )

    def listener(self, kind: str) -> str:
        """The id of the first that listens to events of this kind."""
        events = (event for element in self._elements.values() for event in element.get("events", ()))
        return next(event["listener_id"] for event in events if event["type"] == kind)

    def fields(self) -> list[tuple[str, dict[str, Any]]]:
        """What can be written or chosen on the page: the tag, and what says of which field something is."""
        return [
            (element["tag"], {"client_id": self.page_id, "id": int(key), "listener_id": event["listener_id"]})
            for key, element in self._elements.items()
            for event in element.get("events", ())
            if event["type"].startswith("update")
        ]


def cookie_of(context: BrowserContext) -> str:
    """What a browser sends along."""
    return "; ".join(f"{cookie.get('name')}={cookie.get('value')}" for cookie in context.cookies())


def signed_in(url: str, token: str) -> str:
    """The cookie of a browser that has signed in."""
    answer = httpx.post(f"{url}/sign-in", data={"token": token}, timeout=PATIENCE_S)
    return answer.headers["set-cookie"].partition(";")[0]


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def test_what_a_tab_keeps_comes_back_although_another_story_is_dropped_meanwhile(
    guarded: str, opened: ExitStack
) -> None:
    cookie = signed_in(guarded, "tok-red")
    page = PageSocket(opened, guarded, cookie)
    page.tell("waits", "fletcher/story", {"name": "mine.arrow", "unsaved": True})
    address, text = f"/_nicegui/client/{page.page_id}/story", SAMPLE.arrow_file.read_bytes()
    kept, dropped = (
        httpx.post(
            guarded + address,
            files={"files": (name, text)},
            data=fields,
            headers={"Cookie": cookie},
            timeout=PATIENCE_S,
        ).json()
        for name, fields in (("mine.arrow", {"unsaved": "true", "page": "gone"}), ("other.arrow", {}))
    )
    said = page.tell("answer", "fletcher/story", kept)
    said += page.tell("answer", '.arrow"', {"url": address, "answer": dropped})
    for awaited in ("mine.arrow has changes that were not downloaded", "keep"):
        if awaited not in said:
            said += page.until(awaited)


def test_a_socket_of_another_workspace_gets_no_page(guarded: str, opened: ExitStack) -> None:
    red = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    assert red.greeting.startswith("40")
    blue = PageSocket(opened, guarded, signed_in(guarded, "tok-blue"), red.page_id)
    assert blue.greeting == '44{"message":"Implicit handshake failed"}'


def test_a_socket_of_another_workspace_joins_no_page_later(guarded: str, opened: ExitStack) -> None:
    red = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    blue = PageSocket(opened, guarded, signed_in(guarded, "tok-blue"), "")
    assert blue.ask("handshake", JOINING | {"client_id": red.page_id}).endswith(f"{ANSWER}7[false]")
    assert blue.ask("handshake", JOINING | {"client_id": blue.page_id}).endswith(f"{ANSWER}7[true]")


def test_a_socket_speaks_for_its_own_page_alone(guarded: str, opened: ExitStack) -> None:
    red = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    blue = PageSocket(opened, guarded, signed_in(guarded, "tok-blue"))
    blue.choose(red, "Ask")
    heard = red.choose(red, "Story") + red.until("tab=Story")
    assert "tab=Ask" not in heard


@pytest.mark.parametrize("many", [50_000, 30])
def test_nothing_of_many_values_is_kept_of_a_field(guarded: str, opened: ExitStack, many: int) -> None:
    page = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    page.choose(page, ", [{" * many)
    with pytest.raises(ConnectionClosed):
        page.choose(page, [[]] * many)


@pytest.mark.parametrize("said", [[json.dumps("x" * 3_000), None], [None] * 100, ["[]"] * 100])
def test_an_event_of_a_field_says_one_thing(guarded: str, opened: ExitStack, said: list[str | None]) -> None:
    page = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    told = next(told for tag, told in page.fields() if tag == "nicegui-input")
    with pytest.raises(ConnectionClosed):
        page.ask("event", told | {"args": said})


def test_what_no_tab_is_called_is_in_no_address(guarded: str, opened: ExitStack) -> None:
    page = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    heard = page.choose(page, "\N{GRINNING FACE}" * 100) + page.choose(page, "Story") + page.until("tab=Story")
    assert "%F0%9F" not in heard


# An emoji takes four bytes of memory, and four more once it was written somewhere.
@pytest.mark.parametrize(
    ("text", "least"),
    [("x" * 900_000, 3), ("\N{GRINNING FACE}" * 225_000, 1), ("\N{GRINNING FACE}" + "x" * 600_000, 1)],
)
def test_so_much_is_written_on_a_page(guarded: str, opened: ExitStack, text: str, least: int) -> None:
    page = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    fields = [told for tag, told in page.fields() if tag == "nicegui-input"]
    heard: list[str] = []

    def write_into_all() -> None:
        for told in fields * 2:
            heard.append(page.ask("event", told | {"args": [json.dumps(text, ensure_ascii=False)]}))

    with pytest.raises(ConnectionClosed):
        write_into_all()
    assert least <= len(heard) <= 4


@pytest.mark.parametrize("name", ["connect", "disconnect"])
def test_a_socket_begins_and_ends_once(guarded: str, opened: ExitStack, name: str) -> None:
    """Said as an event, the library would take its own word for who it is, and take the page leave each time."""
    page = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    with pytest.raises(ConnectionClosed):
        page.ask(name, {"QUERY_STRING": f"client_id={page.page_id}", "asgi.scope": {"state": {"workspace": "red"}}})


def test_a_choice_has_any_name(guarded: str, opened: ExitStack) -> None:
    page = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    told = next(told for tag, told in page.fields() if tag == "nicegui-select")
    page.ask("event", told | {"args": [json.dumps({"value": 0, "label": '[{",' * 50})]})


def test_signing_out_ends_every_page_of_the_session(guarded: str, open_page: OpenPage, opened: ExitStack) -> None:
    page = open_page(guarded)
    sign_in(page, "tok-red")
    other = page.context.new_page()
    load(other, guarded)
    other.get_by_role("tab", name="Projects").wait_for()
    socket = PageSocket(opened, guarded, cookie_of(page.context))
    stays = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    page.get_by_role("button", name="Sign out").click()
    other.get_by_label("Token").wait_for()
    with pytest.raises(ConnectionClosed):
        socket.until("what never comes")
    stays.choose(stays, "Story")


def test_signing_out_asks_about_the_changes_of_every_page_of_the_session(guarded: str, open_page: OpenPage) -> None:
    page = open_page(guarded)
    sign_in(page, "tok-red")
    tab(page, "Story")
    open_story(page)
    page.get_by_role("textbox", name="Message").fill("create a variable gold = 10")
    page.get_by_role("button", name="Apply", exact=True).click()
    page.locator(".change .answer", has_text="gold").wait_for()
    other = page.context.new_page()
    load(other, guarded)
    for one in (page, other):
        one.bring_to_front()
        one.get_by_role("button", name="Sign out").click()
        one.get_by_text(f"{SAMPLE.arrow_file.name} has changes that were not downloaded").wait_for()
        one.get_by_role("button", name="Keep the changes").click()
        one.get_by_role("dialog").wait_for(state="hidden")
    page.locator(".change .answer", has_text="gold").wait_for()
    other.get_by_role("button", name="Sign out").click()
    other.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    for one in (page, other):  # Chromium may never close a page that is on its way to another
        one.get_by_label("Token").wait_for()


def test_signing_out_asks_about_what_a_tab_keeps_whichever_tab_of_the_page_is_shown(
    guarded: str, open_page: OpenPage
) -> None:
    page = open_page(f"{guarded}/?tab=Ask")
    sign_in(page, "tok-red")
    page.route("**/story", lambda route: route.abort())
    page.evaluate(
        """([name, kept]) => {
          sessionStorage.setItem(name, JSON.stringify(kept));
          sessionStorage.setItem(`${name}/text`, "");
        }""",
        ["fletcher/story/red", {"name": "kept.arrow", "unsaved": True, "path": "", "sha256": "", "page": ""}],
    )
    load_anew(page)
    page.get_by_role("button", name="Sign out").click()
    page.get_by_text("kept.arrow has changes that were not downloaded").wait_for()
    page.get_by_role("button", name="Keep the changes").click()


def test_signing_in_anew_ends_the_session_before_and_its_pages(guarded: str, open_page: OpenPage) -> None:
    page = open_page(guarded)
    other = page.context.new_page()
    load(other, f"{guarded}/?project=before")
    sign_in(other, "tok-red")
    before = cookie_of(page.context)
    sign_in(page, "tok-blue")
    other.get_by_text("blue-project: 1 document").wait_for()
    assert httpx.get(f"{guarded}/projects", headers={"Cookie": before}, timeout=PATIENCE_S).status_code == 401


def test_a_page_sends_no_files_as_another_workspace(guarded: str, open_page: OpenPage) -> None:
    page = open_page(f"{guarded}/?tab=Documents")
    sign_in(page, "tok-red")
    page.context.clear_cookies()
    name, _, value = signed_in(guarded, "tok-blue").partition("=")
    page.context.add_cookies([{"name": name, "value": value, "url": guarded}])
    with page.expect_file_chooser() as chosen, page.expect_response("**/corpus") as answer:
        page.get_by_role("button", name="Add documents").click()
        chosen.value.set_files([{"name": "late.md", "mimeType": "text/markdown", "buffer": b"The red plan."}])
    assert answer.value.status == 401


@pytest.mark.parametrize("name", ["tab_id", "old_tab_id", "document_id"])
@pytest.mark.parametrize("kept", ["🏮" * 1000, ["t"]])
def test_nothing_long_is_kept_of_a_tab(guarded: str, opened: ExitStack, name: str, kept: object) -> None:
    red = PageSocket(opened, guarded, signed_in(guarded, "tok-red"), "")
    assert red.ask("handshake", JOINING | {"client_id": red.page_id, name: kept}).endswith(f"{ANSWER}7[false]")


def test_a_story_is_fetched_in_pieces_and_not_said_over_the_socket(guarded: str, opened: ExitStack) -> None:
    red, blue = ({"Cookie": signed_in(guarded, token)} for token in ("tok-red", "tok-blue"))
    page = PageSocket(opened, guarded, red["Cookie"])
    address = f"{guarded}/_nicegui/client/{page.page_id}"
    assert httpx.get(f"{address}/download", headers=red, timeout=PATIENCE_S).status_code == 404
    story = {"files": ("long.arrow", json.dumps(json.loads(BLANK) | {"title": "🏮" * 90_000}))}
    taken = httpx.post(f"{address}/story", files=story, headers=red, timeout=PATIENCE_S).raise_for_status().json()
    page.tell("answer", '"single": true', {"url": f"/_nicegui/client/{page.page_id}/story", "answer": taken})
    with httpx.stream("GET", f"{address}/download", headers=red, timeout=PATIENCE_S) as answer:
        pieces = list(answer.iter_raw())
    assert json.loads(b"".join(pieces))["title"] == "🏮" * 90_000
    assert max(map(len, pieces)) <= 4 * 2**16
    assert answer.headers["Content-Disposition"] == "attachment; filename*=UTF-8''long.arrow"
    assert httpx.get(f"{address}/download", headers=blue, timeout=PATIENCE_S).status_code == 404


def test_a_story_comes_back_as_the_page_before_has_it_while_that_lives(guarded: str, opened: ExitStack) -> None:
    red, blue = ({"Cookie": signed_in(guarded, token)} for token in ("tok-red", "tok-blue"))
    before = PageSocket(opened, guarded, red["Cookie"])

    def come_back(page: PageSocket, headers: dict[str, str], title: str) -> str:
        address = f"/_nicegui/client/{page.page_id}"
        story = {"files": ("a.arrow", json.dumps(json.loads(BLANK) | {"title": title}))}
        told = {"page": before.page_id}
        answer = httpx.post(f"{guarded}{address}/story", data=told, files=story, headers=headers, timeout=PATIENCE_S)
        page.tell("answer", "fletcher/story", answer.raise_for_status().json())
        return httpx.get(f"{guarded}{address}/download", headers=headers, timeout=PATIENCE_S).json()["title"]

    assert come_back(before, red, "as it is") == "as it is"
    assert come_back(PageSocket(opened, guarded, red["Cookie"]), red, "as it was") == "as it is"
    assert come_back(PageSocket(opened, guarded, blue["Cookie"]), blue, "of blue") == "of blue"


def test_a_page_has_few_sockets(guarded: str, opened: ExitStack) -> None:
    cookie = signed_in(guarded, "tok-red")
    page = PageSocket(opened, guarded, cookie)
    others = [PageSocket(opened, guarded, cookie, page.page_id).greeting[:2] for _ in range(5)]
    assert others == ["40"] * 4 + ["44"]
    page.choose(page, "Story")


def test_a_socket_connects_anew_seldom(guarded: str, opened: ExitStack) -> None:
    """Each time all that was said to its page is said again, and the page taken leave of."""
    page = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    for _ in range(2):
        page.send("41")
        page.send("40")
        page.until("40{")
    page.send("41")
    page.send("40")
    with pytest.raises(ConnectionClosed):
        page.until("40{")


def test_nothing_is_kept_of_pages_within_the_page(guarded: str, opened: ExitStack) -> None:
    """There are none, and the library keeps whatever it is told of them."""
    red = PageSocket(opened, guarded, signed_in(guarded, "tok-red"))
    told = {"client_id": red.page_id, "id": 0}
    listener = red.listener("sub_pages_open")
    assert red.ask("event", told | {"listener_id": listener, "args": ["{"]}).endswith(f"{ANSWER}7[]")
