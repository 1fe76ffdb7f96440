"""Where files are dropped or chosen; they go to an address of the server, and what it answers comes here."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from server import WORKSPACE_HEADER

_ADDRESSES = 100


def refusal_in(answer: dict[str, Any], otherwise: str) -> str:
    """Why files were not taken, in the words of the answer; `otherwise` where something between has answered."""
    error = answer.get("error")
    return str(error["message"]) if isinstance(error, dict) else otherwise


class Drop(ui.element, component="drop.js"):
    """Takes files and folders, dropped anywhere while it is to be seen; its children are what is seen of it.

    Args:
        url: Where the files are sent to, as a form with the field `files`.
        on_begin: Hears to which address files are on their way, and how many.
        on_answer: Hears each answer: of which address, and its JSON.
        only: What the name of the one file that is taken ends with; empty where any number of any kind is.
        workspace: Whose the files are; a browser that has signed in as another one sends none.
        most_bytes: Of one request; a file with more is not sent, and named. 0 where the address says so itself.
    """

    def __init__(
        self,
        url: str,
        on_begin: Callable[[str, int], None],
        on_answer: Callable[[str, dict[str, Any]], Awaitable[None]],
        *,
        workspace: str,
        only: str = "",
        most_bytes: int = 0,
    ) -> None:
        super().__init__()
        # What a browser says of any other is not heard: it would be kept by address.
        self._addresses = deque([url], _ADDRESSES)
        self.props["url"] = url
        self.props["accept"] = only
        self.props["headers"] = {WORKSPACE_HEADER: workspace}
        self.props["most"] = most_bytes
        self.props["single"] = bool(only)

        def begun(event: GenericEventArguments) -> None:
            if (url := event.args["url"]) in self._addresses:
                on_begin(url, event.args["files"])

        async def answered(event: GenericEventArguments) -> None:
            if (url := event.args["url"]) in self._addresses:
                await on_answer(url, event.args["answer"])

        self.on("begin", begun)
        self.on("answer", answered)

    def send_to(self, url: str) -> None:
        """Files go to another address from now on."""
        self._addresses.append(url)
        self.props["url"] = url

    def send_again(self, url: str, names: Sequence[str]) -> None:
        """Sends files to an address another time, of those that went there, as they are now."""
        self.run_method("again", url, names)

    def picks(self, button: ui.button, *, folder: bool = False) -> None:
        """A click on the button lets the visitor choose."""
        button.on("click", js_handler=f"() => getElement({self.id}).pick({str(folder).lower()})")
