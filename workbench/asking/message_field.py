"""Where a message is written."""

from nicegui import ui

from server import RequestError


class MessageField(ui.textarea):
    """A field for so many characters at most, of which its reader asks before anything becomes of them.

    Args:
        label: What is written there.
        longest: In characters.
    """

    def __init__(self, label: str, longest: int) -> None:
        super().__init__(label)
        self._longest = longest
        self.props(f"outlined autogrow maxlength={longest}").classes("wide")

    @property
    def written(self) -> str:
        """What is written, without blanks around it.

        Raises:
            RequestError: It is too long: a browser's own limit binds nobody.
        """
        written = (self.value or "").strip()
        if len(written) > self._longest:
            problem = f"{self.label} has at most {self._longest:,} characters, and not {len(written):,}: shorten it."
            raise RequestError(422, "INVALID_REQUEST", problem)
        return written
