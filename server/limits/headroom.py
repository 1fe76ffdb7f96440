"""How close a client's messages come to the longest that its connection sends."""

_NEAR = 0.85  # of the longest: some five more nodes of a hundred words fit
_LONG = 2**20  # characters


class Headroom:
    """Warns, once in a session, before the client's messages become too long to leave it."""

    def __init__(self) -> None:
        self._bytes = 0
        self._is_told = False

    def note(self, frame: str) -> None:
        """A frame has arrived, so this much the client can send."""
        # Longer than any such client's; measuring it would take a while.
        is_plain = frame.isascii() or len(frame) > _LONG
        self._bytes = len(frame) if is_plain else len(frame.encode(errors="surrogatepass"))

    def warning(self, longest: int | None) -> str | None:
        """What the user is told of the frame noted last; None where it is short, or longer than such clients send."""
        if longest is None or self._is_told or not longest * _NEAR < self._bytes <= longest:
            return None
        self._is_told = True
        return (
            f"(Your project nearly fills the longest message that this editor can send: {self._bytes:,} of {longest:,} "
            "bytes. Beyond that its messages no longer arrive, and the editor shows Error 6. Save the project, and "
            "move a part of the story into a project of its own.)"
        )
