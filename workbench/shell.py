"""What every page has: the tabs, dark and light, and one place where errors are told."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from traceback import format_tb

from fastapi import FastAPI, Request
from nicegui import app, ui
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, PlainTextResponse, Response

from corpora import CorpusError, InvalidName
from server import Access, RequestError, Services
from server.access.browser_sessions import BrowserSession, cookie_name
from server.limits.places import Places
from server.limits.rate import Rate
from server.limits.turn_rate import TooManyTurns
from workbench.access.farewells import farewell_s, free_elements
from workbench.access.page_sockets import (
    KeptMessages,
    WaitingMessages,
    end_pages,
    give_up_a_page,
    keep_pages_apart,
    leave_pages,
    pages_of,
)
from workbench.address import TABS, Address, History
from workbench.asking.panel import AskPanel
from workbench.documents.panel import DocumentsPanel
from workbench.frame.connection import WATCH_CONNECTION
from workbench.frame.giving_up import ask_to_give_up, unsaved
from workbench.frame.hand_out import HAND_OUT
from workbench.frame.notice import notify
from workbench.frame.scheme import draw_scheme_button
from workbench.projects import ProjectsPanel
from workbench.story.panel import StoryPanel
from workbench.story.room import OpenStories
from workbench.visit import Visit, visit_of

_TOO_MANY = "Too many pages are open here. Close some, and load this one again."
_UNEXPECTED = "Something went wrong in the server; its log has the details."
_REFUSALS = (CorpusError, RequestError, TooManyTurns)
_STYLE = (Path(__file__).parent / "frame" / "style.css").read_text("utf-8")
# A page keeps some megabytes, and to look through those of many for garbage holds everybody.
_MOST_PAGES, _MOST_OF_WORKSPACE = 60, 24
# Of failures that are written down: whoever has a page can bring about as many as they like.
_FAILURES_PER_MINUTE = 30
# A file that is dropped beside what takes it would be shown in place of the page.
_STAY = """for (const kind of ["dragover", "drop"])
  addEventListener(kind, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());"""
_RECONNECT_S = 30.0
_PATIENCE_S = 60.0
_LONGEST_QUESTION = 1000
_SHORT_ANSWER = 1024  # bytes
_KEPT_MESSAGES = 50  # of a page whose connection breaks off, to be sent again


def make_shell(services: Services, access: Access) -> FastAPI:
    """The application of the page alone, to be asked for the addresses that are its own."""
    shell = FastAPI(openapi_url=None)
    pages = Places(_MOST_PAGES, _MOST_OF_WORKSPACE)
    failures = Rate(_FAILURES_PER_MINUTE)
    room = OpenStories()

    # What the library shows in place of a page that takes longer has no place among those that are counted.
    @ui.page("/", response_timeout=_PATIENCE_S)
    async def page(request: Request, question: str = "") -> Response | None:
        workspace: str = request.state.workspace
        client = ui.context.client
        if not pages.take(workspace):
            give_up_a_page(workspace, client)
            if not pages.take(workspace):
                client.delete()
                return PlainTextResponse(_TOO_MANY, 503)
        place = ExitStack()  # the library may delete a page several times
        place.callback(pages.give_back, workspace)
        client.on_delete(place.close)
        client.page.resolve_reconnect_timeout = partial(farewell_s, _RECONNECT_S)
        client.on_exception(_tell)
        client.outbox.message_history = KeptMessages()
        client.outbox.messages = waiting = WaitingMessages(services.json_room, workspace, client.id)
        client.on_delete(waiting.clear)
        address = Address.read(request.url.query)
        visit = await _visit(services, request, address.project, room)
        if client.is_deleted:  # meanwhile, as nobody has seen it yet; what it held on to from here would stay
            return PlainTextResponse(_TOO_MANY, 503)
        request.state.visit = visit
        client.on_delete(visit.end)
        client.on_delete(free_elements)
        _draw(visit, address, _sign_out(request, access))
        if question:
            visit.question_proposed.emit(question[:_LONGEST_QUESTION])
        return None

    keep_pages_apart()
    logging.getLogger("nicegui").addFilter(lambda record: _is_for_the_log(record, failures))
    app.add_exception_handler(404, _not_found)  # the library's own is a page, and counted by nobody
    app.storage.max_tab_storage_age = 60.0  # nothing is kept there, and a month of tabs is much of nothing
    app.config.socket_io_js_transports = ["websocket"]
    app.config.quasar_config["loadingBar"]["skipHijack"] = True  # no bar for what is fetched; it has no name either
    app.colors(primary="#1257a8", negative="#a80f1c")
    ui.add_head_html(f"<style>{_STYLE}</style><script>{_STAY}{WATCH_CONNECTION}{HAND_OUT}</script>", shared=True)
    ui.run_with(
        shell,
        title="Fletcher",
        favicon=Path(__file__).parent / "frame" / "icon.svg",
        dark=None,
        language="en-US",
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=_RECONNECT_S,
        message_history_length=_KEPT_MESSAGES,
        show_welcome_message=False,
        # In a thread, and as much as is worth its while.
        gzip_middleware_factory=partial(GZipMiddleware, compresslevel=1, thread_minimum_size=_SHORT_ANSWER),
    )
    return shell


async def _visit(services: Services, request: Request, project: str, room: OpenStories) -> Visit:
    """The visit of the project that the address names, else of the first that there is."""
    workspace, is_owner = request.state.workspace, request.state.is_owner
    if not project:
        projects = await services.asking.run(workspace, lambda: services.catalog.projects(workspace))
        project = projects[0] if projects else "1"
    try:
        return Visit(services, workspace, is_owner=is_owner, project=project, room=room)
    except InvalidName:
        return Visit(services, workspace, is_owner=is_owner, project="1", room=room)


def _draw(visit: Visit, address: Address, sign_out: Callable[[], Awaitable[None]] | None) -> None:
    with ui.header().classes("bar"):
        ui.label("Fletcher").classes("name")
        with ui.tabs(value=address.tab).props("dense no-caps inline-label outside-arrows mobile-arrows") as tabs:  # type: ignore[arg-type]
            for name in TABS:
                ui.tab(name)
        ui.space()
        shown = ui.label().classes("shown-project")
        draw_scheme_button()
        if sign_out is not None:
            button = ui.button(icon="logout", on_click=sign_out)
            button.props('flat round dense color=white aria-label="Sign out"')
    with ui.tab_panels(tabs, value=address.tab, animated=False).classes("panels"):
        with ui.tab_panel("Projects"):
            ProjectsPanel(visit, tabs)
        with ui.tab_panel("Documents"):
            documents = DocumentsPanel(visit, tabs)
        with ui.tab_panel("Ask"):
            ask = AskPanel(visit)
        with ui.tab_panel("Story"):
            story = StoryPanel(visit)

    def show_project() -> None:
        shown.set_text(f"Project {visit.project}")
        ui.page_title(f"{visit.project} · Fletcher")

    visit.project_changed.subscribe(show_project)
    show_project()
    History(visit, tabs, {"Documents": documents.place, "Ask": ask.place, "Story": story.place}, address)


def _sign_out(request: Request, access: Access) -> Callable[[], Awaitable[None]] | None:
    """Ends the browser's session, and with it all its pages; None where there is nothing to end.

    Where changes of stories are lost by it, on whatever page, it does so only once that is agreed to.
    """
    session: BrowserSession | None = request.state.session
    if session is None:
        return None

    asking = ui.element("div").classes("hidden")  # its dialogs are shown elsewhere

    async def leave() -> None:
        await leave_pages(session)
        access.sessions.end(request.cookies[cookie_name(request.headers.get("host", ""))])
        await end_pages(session)

    async def sign_out(given_up: Sequence[str] = ()) -> None:
        visits = filter(None, map(visit_of, pages_of(session)))
        names = [name for visit in visits for name in visit.shown.at_risk]
        if Counter(names) <= Counter(given_up):
            await leave()
            return
        asking.clear()
        with asking:
            ask_to_give_up(unsaved(names), "Sign out", "Sign out", partial(sign_out, names))

    return sign_out


def _not_found(_request: Request, _error: Exception) -> Response:
    return JSONResponse({"error": {"code": "NOT_FOUND", "message": "There is nothing at this address."}}, 404)


def _tell(error: Exception) -> None:
    """Says on the page what went wrong: ours name the thing and the remedy, any other is for the log."""
    said = str(error) if isinstance(error, _REFUSALS) else _UNEXPECTED
    notify(said)


def _is_for_the_log(record: logging.LogRecord, failures: Rate) -> bool:
    """What the page refuses is no failure of it, and names what is the visitor's."""
    is_failure = record.levelno >= logging.ERROR
    if record.exc_info and record.exc_info[0] is not None and not isinstance(record.msg, _REFUSALS):
        kind, _, trace = record.exc_info
        # Without its words, which may be the browser's; where it failed is ours.
        record.msg, record.args, record.exc_text = "a page failed: %s", (kind.__name__,), "".join(format_tb(trace))
    return not isinstance(record.msg, _REFUSALS) and (not is_failure or failures.take("") == 0)
