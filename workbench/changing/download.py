"""Where a browser fetches the story that its page has open: an address for one page, which is gone with it."""

from collections.abc import AsyncGenerator
from urllib.parse import quote

from fastapi import Request
from nicegui import app, ui
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from workbench.story.open_story import OpenStory
from workbench.visit import Visit

_PIECE = 64 * 2**10  # characters
# Over the page's socket, whatever is not read yet would be in memory as a whole. What is compressed would cost seconds.
_HEADERS = {"Content-Encoding": "identity", "Cache-Control": "no-store"}


class StoryDownload:
    """Hands over the story of a page.

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
        # A link, which a browser follows by itself: it is there as long as it can be used.
        self.button = ui.button("Download", icon="download").props("no-caps outline role=button download")
        self.button.props["href"] = url

    async def _give(self, request: Request) -> Response:
        story = self._visit.shown.story
        if story is None or request.state.workspace != self._visit.workspace:
            return PlainTextResponse("No story is open on this page.", 404)
        name = quote(story.name, safe="", errors="replace")
        headers = _HEADERS | {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
        return StreamingResponse(self._in_pieces(story), headers=headers, media_type="application/json")

    async def _in_pieces(self, story: OpenStory) -> AsyncGenerator[bytes]:
        """Of its text no more than is sent next; while it is read, it is counted as the page's own."""
        for start in range(0, len(story.text), _PIECE):
            yield story.text[start : start + _PIECE].encode()
        shown = self._visit.shown
        if shown.story is story and shown.is_unsaved:  # else all of it would be drawn again
            shown.save(story)
