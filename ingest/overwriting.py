"""What a yes to replacing documents covers."""

from collections.abc import Mapping

from corpora import Document


class Overwriting:
    """Lets those documents take the place of other versions of which it was agreed: this one, of that one.

    Args:
        agreed: By name, the hash of what is there and of what would be.

    Attributes:
        refused: The others, in the same form.
    """

    def __init__(self, agreed: Mapping[str, tuple[str, str]] | None = None) -> None:
        self._agreed = agreed or {}
        self.refused: dict[str, tuple[str, str]] = {}

    def may(self, known: Document, sha256: str) -> bool:
        """Whether what has that hash may take the place of a document."""
        if self._agreed.get(known.name) == (known.sha256, sha256):
            return True
        self.refused[known.name] = known.sha256, sha256
        return False
