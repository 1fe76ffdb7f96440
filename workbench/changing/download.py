"""Where a browser fetches the story that its page has open: an address for one page, which is gone with it."""

from collections.abc import AsyncGenerator
from urllib.parse import quote

from fastapi import Request
from nicegui import app, ui
from nicegui.events import GenericEventArguments
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from workbench.frame.notice import notify
from workbench.story.open_story import OpenStory
from workbench.visit import Visit

_PIECE = 64 * 2**10  # characters
_NOT_WHOLE = "The story did not reach this browser as a whole. Download it again."
# Over the page's socket, whatever is not read yet would be in memory as a whole. What is compressed would cost seconds.
_HEADERS = {"Content-Encoding": "identity", "Cache-Control": "no-store"}
# A link would be followed by itself, but of what becomes of that no page hears.
_FETCH = """async () => {
  try {
    const response = await fetch("%s");
    const name = response.headers.get("Content-Disposition").split("''")[1];
    handOut(decodeURIComponent(name), await response.blob());
    emit(response.headers.get("ETag"));
  } catch {
    emit("");
  }
}"""


class StoryDownload:
    """Hands over the story of a page, whose changes are kept elsewhere once the browser says that it has all of it.

    Args:
        visit: The page.
    """

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        client = ui.context.client
        # With the page's own id in it, as the address has that a story is sent to.
        url = f"/_nicegui/client/{client.id}/download"
        app.add_route(url, self._give, methods=["GET"])
        client.on_delete(lambda: app.remove_route(url))
        self.button = ui.button("Download", icon="download").props("no-caps outline")
        self.button.on("click", self._has_arrived, js_handler=_FETCH % url)

    async def _give(self, request: Request) -> Response:
        story = self._visit.shown.story
        if story is None or request.state.workspace != self._visit.workspace:
            return PlainTextResponse("No story is open on this page.", 404)
        name = quote(story.name, safe="", errors="replace")
        headers = _HEADERS | {"Content-Disposition": f"attachment; filename*=UTF-8''{name}", "ETag": _state(story)}
        return StreamingResponse(_in_pieces(story), headers=headers, media_type="application/json")

    def _has_arrived(self, event: GenericEventArguments) -> None:
        shown = self._visit.shown
        if not event.args:
            notify(_NOT_WHOLE)
        elif shown.story is not None and _state(shown.story) == event.args and shown.is_unsaved:
            shown.save(shown.story)


def _state(story: OpenStory) -> str:
    return f'"{story.number}"'


async def _in_pieces(story: OpenStory) -> AsyncGenerator[bytes]:
    """Of its text no more than is sent next; while it is read, it is counted as the page's own."""
    for start in range(0, len(story.text), _PIECE):
        yield story.text[start : start + _PIECE].encode()
