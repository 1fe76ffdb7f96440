"""Reads Markdown; the text is the file itself, so that spans count in the file."""

import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from corpora import Page
from ingest.extracted import Block, BlockKind, Extracted
from ingest.readers.encoding import decode
from ingest.readers.formats import PageListener

_LINE_END = re.compile(r"\r\n?|\n")
# Obsidian and static site generators put YAML first; to Markdown its closing line would underline a heading.
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?P<properties>.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
# A comment is none, but stays: it may be a heading above speeches.
_PROPERTY = re.compile(r"^(?:#.*|(?P<name>[^\s:#-][^:\r\n]*):.*(?:\r?\n(?:[ \t-].*)?$)*)", re.MULTILINE)
# What an application keeps about a note; other properties are facts that its writer has noted.
_BOOKKEEPING = frozenset(
    (
        *("tags", "tag", "cssclass", "cssclasses", "publish", "permalink", "layout", "draft", "template", "banner"),
        *("uid", "uuid", "created", "updated", "modified", "date created", "date modified", "lastmod"),
        *("slug", "kanban-plugin", "excalidraw-plugin"),
    )
)
_WIKI_LINK = re.compile(r"!?\[\[(?P<target>[^\[\]|#]*)(?P<part>#[^\[\]|]*)?(?:\|(?P<alias>[^\[\]]*))?\]\]")
_KINDS: dict[str, BlockKind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
}
_NOT_TEXT = {"hr", "heading_close"}


def read(data: bytes, progress: PageListener) -> Extracted:
    """A Markdown file with its headings, lists, tables and paragraphs."""
    del progress
    text = decode(data)
    blocks = tuple(_blocks(text))
    return Extracted("md", text, (Page(None, 0, len(text), text),), blocks)


def _blocks(text: str) -> Iterator[Block]:
    front = _FRONT_MATTER.match(text)
    body = 0
    if front and _is_properties(front["properties"]):
        body = front.end()
        yield from _front_matter(text, front)
    lines = [body, *(match.end() for match in _LINE_END.finditer(text, body)), len(text)]
    tokens = MarkdownIt("commonmark").enable("table").parse(text[body:])
    for token, following in pairwise([*tokens, Token("inline", "", 0)]):
        if token.level > 0 or token.map is None or token.nesting < 0 or token.type in _NOT_TEXT:
            continue
        start, end = (lines[min(line, len(lines) - 1)] for line in token.map)
        end = start + len(text[start:end].rstrip())
        if token.type == "heading_open":
            yield Block("heading", start, end, int(token.tag[1]), _plain(following))
        else:
            yield Block(_KINDS.get(token.type, "paragraph"), start, end)


def _is_properties(lines: str) -> bool:
    """Whether they are: what stands between two rules is text, and so is what a blank line begins."""
    if lines.startswith(("\r", "\n")) or _PROPERTY.sub("", lines).strip():
        return False
    return any(entry["name"] for entry in _PROPERTY.finditer(lines))


def _front_matter(text: str, front: re.Match[str]) -> Iterator[Block]:
    """The properties of a note: facts stay text, next to the bookkeeping of its application, which does not."""
    position = front.start()
    for entry in _PROPERTY.finditer(text, front.start("properties"), front.end("properties")):
        if (entry["name"] or "").strip().lower() not in _BOOKKEEPING:
            yield Block("omitted", position, entry.start())
            yield Block("code", entry.start(), entry.start() + len(entry[0].rstrip()))
            position = entry.end()
    yield Block("omitted", position, front.end())


def _as_shown(link: re.Match[str]) -> str:
    """What a wiki link shows: its alias, else what it leads to."""
    return link["alias"] or link["target"] or (link["part"] or "").lstrip("#^")


def _plain(inline: Token) -> str:
    """The words of a heading, without emphasis, links and code marks."""
    words = "".join(child.content or " " * child.type.endswith("break") for child in inline.children or ())
    return " ".join(_WIKI_LINK.sub(_as_shown, words).split())
