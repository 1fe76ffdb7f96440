"""What a page does while its server cannot be reached, and when its visitor is not known there any more."""

_LOST = "The connection to the server is lost. Is it running?"
_NOT_DONE = "It is tried again by itself; what is clicked meanwhile may not be done."
# Part of the page itself: what came over the socket would not be there where the server ends before the socket is open.
# A socket that is refused says nothing of why. Whoever has to sign in again is led there.
WATCH_CONNECTION = f"""
addEventListener("load", () => {{
  const popup = document.getElementById("popup"), [lost, remedy] = popup.children;
  lost.textContent = "{_LOST}";
  remedy.textContent = "{_NOT_DONE}";
  const watch = () => {{
    if (!window.socket) return void setTimeout(watch, 10); // it is made once all components are there
    socket.on("connect_error", async () => {{
      popup.ariaHidden = false;
      const answer = await fetch("/projects").catch(() => null);
      if (answer?.status !== 401) return;
      dispatchEvent(new Event("reloads"));
      location.reload();
    }});
  }};
  watch();
}});
"""
