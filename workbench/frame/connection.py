"""What a page does while its server cannot be reached, and when its visitor is not known there any more."""

from nicegui import ui

_LOST = "The connection to the server is lost. Is it running?"
_NOT_DONE = "It is tried again by itself; what is clicked meanwhile may not be done."
# A socket that is refused says nothing of why. Whoever has to sign in again is led there.
_WATCH = f"""
const [lost, remedy] = document.getElementById("popup").children;
lost.textContent = "{_LOST}";
remedy.textContent = "{_NOT_DONE}";
socket.on("connect_error", async () => {{
  const answer = await fetch("/projects").catch(() => null);
  if (answer?.status === 401) location.reload();
}});
"""


def watch_connection() -> None:
    """Says what is the matter, in words of ours, and leads to the form where a token is asked for."""
    ui.run_javascript(_WATCH)
