"""Where a message is written."""

from collections.abc import Generator
from contextlib import contextmanager

from nicegui import ui
from nicegui.events import GenericEventArguments

from server import RequestError


class _Draft(ui.element, component="draft.js"):
    """Has the browser's tab keep what is written in a field until something came of it."""

    def __init__(self, field: "MessageField", name: str) -> None:
        super().__init__()
        self.props["field"] = field.id
        self.props["name"] = name

        def show(event: GenericEventArguments) -> None:
            is_free = (field.value or "") in ("", field.proposed) and not field.is_under_way
            if is_free and isinstance(event.args, str):
                field.write(event.args[: field.longest])
                self.run_method("done")

        self.on("kept", show)


class MessageField(ui.textarea):
    """A field for so many characters at most, of which its reader asks before anything becomes of them.

    Args:
        label: What is written there.
        longest: In characters.
        workspace: Whose page it is.

    Attributes:
        longest: As given.
        is_under_way: What was written is sent, and nothing came of it yet.
        proposed: What was shown there and nobody has written.
    """

    def __init__(self, label: str, longest: int, workspace: str) -> None:
        super().__init__(label)
        self.longest = longest
        self.is_under_way = False
        self.proposed = ""
        self._draft = _Draft(self, f"fletcher/draft/{workspace}/{label}")
        self.props(f"outlined autogrow maxlength={longest}").classes("wide")

    def write(self, message: str) -> None:
        """Shows it as if it had been written there; what is, the browser's tab keeps by itself, and before we know."""
        self.set_value(message)
        self._draft.run_method("keep", message)

    def propose(self, message: str) -> None:
        """Shows what may be meant, unless something is written there, or kept by the browser's tab."""
        if (self.value or "") in ("", self.proposed):
            self.proposed = message
            self.set_value(message)

    @contextmanager
    def sending(self) -> Generator[None]:
        """Is empty in the block, but for what is written meanwhile; only then the browser gives up what is sent."""
        sent = self.value
        self.set_value("")
        self._draft.run_method("send", sent)  # afterwards: what has been written since is put there again
        self.is_under_way = True
        try:
            yield
        finally:
            self.is_under_way = False
            self._draft.run_method("done")

    @property
    def written(self) -> str:
        """What is written, without blanks around it.

        Raises:
            RequestError: It is too long: a browser's own limit binds nobody.
        """
        written = (self.value or "").strip()
        if len(written) > self.longest:
            problem = f"{self.label} has at most {self.longest:,} characters, and not {len(written):,}: shorten it."
            raise RequestError(422, "INVALID_REQUEST", problem)
        return written
