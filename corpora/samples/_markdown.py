"""The sample's sources are Markdown; this is how they are read: typographic quotes, tables, no raw HTML."""

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

READER = MarkdownIt("commonmark", {"typographer": True, "html": False}).enable(["table", "replacements", "smartquotes"])


@dataclass(frozen=True, slots=True)
class Block:
    """One block at the top level: the tag of its element (`h1`, `p`, `ul`, `table`, ...) and its tokens."""

    tag: str
    tokens: tuple[Token, ...]

    @property
    def html(self) -> str:
        """The block as HTML."""
        return READER.renderer.render(self.tokens, READER.options, {})

    @property
    def text(self) -> str:
        """The words of its inline parts, without marks."""
        return " ".join(plain(token) for token in self.tokens if token.type == "inline")


def plain(inline: Token) -> str:
    """An inline token without its marks."""
    return "".join(child.content for child in inline.children or [])


def blocks(markdown: str) -> Iterator[Block]:
    """The blocks of a Markdown text, in order."""
    pending: list[Token] = []
    for token in READER.parse(markdown):
        pending.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield Block(pending[0].tag, tuple(pending))
            pending = []
