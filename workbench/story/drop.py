"""Where a visitor's own `.arrow` file comes in: an address for one page, which is gone with it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import Request
from nicegui import Client, app, ui
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.responses import JSONResponse

from server import RequestError
from server.http.form import Form
from workbench.frame.bounded import LONGEST_PROBLEM, beginning
from workbench.frame.drop import Drop, refusal_in
from workbench.frame.notice import notify
from workbench.story.keeper import NOT_HEARD, TURN, StoryKeeper
from workbench.story.open_story import OpenStory
from workbench.story.shown_story import ShownStory
from workbench.visit import Visit, visit_of

_DROPPED, _KEPT = "dropped", "kept"
_LONGEST_PATH = 4096
_DIGITS = 64  # of a checksum
_ELSEWHERE = "Something is under way on another page that shows this story: what it comes to is shown there alone."
_NOT_TAKEN = "The server has not taken the story. Try it again."
_STOPPED = "What was under way when the page was loaded anew was stopped, and has changed nothing: ask for it again."


class StoryDrop:
    """Takes one story.

    Args:
        visit: The page.
        on_open: Gets what was dropped, or what the page had open before; and whether that has unsaved changes.
        on_refusal: Hears, in a sentence, why it cannot be opened.
    """

    def __init__(
        self, visit: Visit, on_open: Callable[[OpenStory, bool], None], on_refusal: Callable[[str], object]
    ) -> None:
        self._visit = visit
        self._opened: dict[str, tuple[OpenStory, bool]] = {}  # what was dropped, and what the tab keeps
        self._to_say = ""  # of what was under way on the page before
        visit.shown.on_close.append(self._forget)
        self._client = client = ui.context.client
        # Below an address that asks for a token, and with the page's own id in it, which nobody else knows.
        url = f"/_nicegui/client/{client.id}/story"
        # Not as an operation of an API: of each of those FastAPI keeps the callable, and this one holds a whole page.
        app.add_route(url, self._take, methods=["POST"])
        client.on_delete(lambda: app.remove_route(url))

        async def answered(which: str, answer: dict[str, Any]) -> None:
            said, self._to_say = self._to_say, ""
            if said:
                notify(said, "warning")
            if "name" not in answer:
                on_refusal(beginning(refusal_in(answer, _NOT_TAKEN), LONGEST_PROBLEM))
            elif (opened := self._opened.pop(which, None)) is not None:
                on_open(*opened)

        dropped = Drop(
            url,
            lambda _url, _files: None,
            lambda _url, answer: answered(_DROPPED, answer),
            workspace=visit.workspace,
            only=".arrow",
        )
        with dropped, ui.row().classes("line drop"):
            dropped.picks(ui.button("Open a story", icon="upload_file").props("no-caps"))
            ui.label("or drop an .arrow file here").classes("hint")
        StoryKeeper(visit.shown, url, f"fletcher/story/{visit.workspace}", partial(answered, _KEPT))

    async def _take(self, request: Request) -> JSONResponse:
        if request.state.workspace != self._visit.workspace:
            return _refused(404, "NOT_FOUND", "This page is another workspace's.")
        if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
            return _refused(422, "INVALID_REQUEST", "This is no form with files; drop one .arrow file.")
        pace = self._visit.services.paces[self._visit.workspace]
        try:
            form = await Form(request, pace, max_files=1, max_fields=10).parse()
        except MultiPartException as error:
            return _refused(400, "INVALID_REQUEST", f"{error.message} Drop one .arrow file.")
        except HTTPException as error:  # too many files are open
            return _refused(error.status_code, "TOO_BUSY", error.detail)
        file = form.get("files")
        if not isinstance(file, UploadFile):
            return _refused(422, "INVALID_REQUEST", "No file came; drop one .arrow file.")
        data, name = await file.read(), _as_written(file.filename or "story.arrow")
        await file.close()
        fields = ("path", "sha256", "unsaved", "page", "changing")
        path, sha256, unsaved, page, changing = (str(form.get(field, "")) for field in fields)
        is_unsaved, before = unsaved == "true", await self._left(page, name, changing)
        try:
            if before is not None and before.story is not None:
                # What a tab keeps it was told over the page's socket: where that was away, not the latest.
                latest, is_unsaved = before.story, before.is_unsaved
                story = await self._visit.read_story(lambda: latest)
            else:
                story = await self._visit.read_story(lambda: read_back(name, data, path, sha256))
        except RequestError as error:
            return _refused(error.status, error.code, str(error))
        if not self._visit.is_over:
            self._opened[_KEPT if page else _DROPPED] = story, is_unsaved
        return JSONResponse({"name": name})

    async def _left(self, page_id: str, name: str, changing: str) -> ShownStory | None:
        """What is open on a page of the workspace that still lives, and may have been loaded anew as this one.

        Where no browser shows that page any more, or its tab shows this one now, what is under way there is brought to
        an end: nobody would see it. `changing` says that a turn was, or is the number of a click there of which its
        browser has not heard that it came; empty for none.
        """
        client = Client.instances.get(page_id)
        visit = None if client is None else visit_of(client)
        if client is None or visit is None or visit.workspace != self._visit.workspace or not visit.shown.shows(name):
            self._to_say = {"": self._to_say, TURN: _STOPPED}.get(changing, NOT_HEARD)
            return None
        # A connection may be gone, and nobody have noticed yet.
        if not client.has_socket_connection or client.tab_id == self._client.tab_id:
            was_heard = changing in ("", TURN, str(visit.shown.clicks))
            if await visit.leave_off() or not was_heard:
                self._to_say = _STOPPED
        elif visit.shown.is_changing:
            self._to_say = _ELSEWHERE
        return visit.shown

    def _forget(self) -> None:
        self._opened.clear()


def _as_written(name: str) -> str:
    """A file's name, in which a browser's form writes what ends a line or a name otherwise."""
    for written, is_meant in (("%22", '"'), ("%0D", "\r"), ("%0A", "\n")):
        name = name.replace(written, is_meant)
    return name


def read_back(name: str, data: bytes, path: str, sha256: str) -> OpenStory:
    """A story that comes, or comes back with the path that it was picked from and the checksum of what was there.

    Raises:
        RequestError: It is no story, or no file that was picked has such a path.
    """
    story = OpenStory.read(name, data)
    if not path:
        return story
    # A story that is picked is known by its real path, so nothing of the machine has to be looked up here: whether it
    # may be written there, and is what it was, is asked when it is written.
    file = Path(path)
    if len(path) > _LONGEST_PATH or "\0" in path or ".." in file.parts or not file.is_absolute():
        raise RequestError(422, "INVALID_REQUEST", "No file that was picked has the path that this story came from.")
    return replace(story, file=file, sha256=sha256[:_DIGITS])


def _refused(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message}}, status)
