"""Reads HTML."""

from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from ingest.extracted import BlockKind, Extracted
from ingest.readers.formats import PageListener
from ingest.readers.text_builder import TextBuilder
from ingest.readers.twee import is_read

_DROPPED = {"script", "style", "noscript", "template", "svg", "iframe", "object", "title", "button", "select"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# What a browser puts on lines of its own or into cells; and labels, which stand by themselves.
_BLOCKS = {
    *_HEADINGS,
    *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog"),
    *("dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr"),
    *("html", "label", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary"),
    *("table", "tbody", "td", "tfoot", "th", "thead", "tr", "tw-passagedata", "ul", "[document]"),
}


def read(data: bytes, progress: PageListener) -> Extracted:
    """An HTML file as a browser would show its text; the encoding is the one that it declares."""
    del progress
    builder = TextBuilder()
    add_page(builder, data)
    return builder.build("html")


def add_page(builder: TextBuilder, data: bytes) -> None:
    """Add the text of an HTML file; its title is a heading if it has none of the first level."""
    soup = BeautifulSoup(data, "lxml")
    if soup.title and not soup.find("h1"):
        builder.add("heading", soup.title.get_text(), 1)
    _add(builder, soup, "paragraph")


def _add(builder: TextBuilder, element: Tag, kind: BlockKind) -> None:
    """Add an element that stands on its own lines, and the blocks in it."""
    if element.name == "table" and _is_data(element):
        if element.caption is not None and not _is_hidden(element.caption):
            _add(builder, element.caption, "paragraph")
        builder.add("table", "\n".join(_rows(element)))
    elif element.name == "pre":
        builder.add("code", _inline(element).replace("\0", "\n"))
    elif element.name in _HEADINGS:
        builder.add("heading", _flowing(element.children), _HEADINGS[element.name])
    elif element.name == "tw-passagedata":
        _add_passage(builder, element)
    else:
        _add_children(builder, element, "list" if element.name == "li" else kind)


def _add_passage(builder: TextBuilder, passage: Tag) -> None:
    """A passage of a Twine story, below the story's title."""
    name = str(passage.get("name", ""))
    if is_read(name, str(passage.get("tags", ""))):
        builder.add("heading", name, 2)
        builder.add("dialogue", passage.get_text())


def _add_children(builder: TextBuilder, element: Tag, kind: BlockKind) -> None:
    flow: list[PageElement] = []
    for child in (*_shown(element), None):
        if child is None or (isinstance(child, Tag) and _holds_blocks(child)):
            text = _flowing(flow)
            builder.add(kind, f"- {text}" if kind == "list" and text.strip() else text)
            flow = []
            if isinstance(child, Tag):
                _add(builder, child, kind)
        else:
            flow.append(child)


def _shown(element: Tag) -> Iterator[PageElement]:
    for child in element.children:
        # Comments, declarations and the like are strings of a special kind.
        if isinstance(child, PreformattedString) or (isinstance(child, Tag) and _is_hidden(child)):
            continue
        yield child


def _is_hidden(tag: Tag) -> bool:
    if tag.name == "tw-storydata":  # what a player reads is made of it
        return False
    style = str(tag.get("style", "")).replace(" ", "").lower()
    return tag.name in _DROPPED or tag.has_attr("hidden") or "display:none" in style or "visibility:hidden" in style


def _holds_blocks(tag: Tag) -> bool:
    return tag.name in _BLOCKS or tag.find(list(_BLOCKS)) is not None


def _flowing(elements: Iterator[PageElement] | list[PageElement]) -> str:
    return "\n".join(" ".join(line.split()) for line in "".join(map(_inline, elements)).split("\0"))


def _inline(element: PageElement) -> str:
    """The text of an element; line breaks as NUL, since newlines of the source are only spaces."""
    if isinstance(element, NavigableString):
        return "" if isinstance(element, PreformattedString) else element.replace("\0", "")
    if not isinstance(element, Tag):
        return ""
    if element.name == "br":
        return "\0"
    text = "".join(map(_inline, _shown(element)))
    if element.name == "sup" and text.strip().isdecimal():  # the number of a note is no part of the word before it
        return f" {text}"
    return f"\0{text}\0" if element.name in _BLOCKS else text


def _is_data(table: Tag) -> bool:
    """Whether it has data and does not only arrange the page: several columns, and no table within."""
    return table.find("table") is None and any(len(row.find_all(["td", "th"])) > 1 for row in table.find_all("tr"))


def _rows(table: Tag) -> Iterator[str]:
    for row in table.find_all("tr"):
        cells = [" ".join(cell.get_text(" ").split()) for cell in row.find_all(["td", "th"])]
        if any(cells):
            yield " | ".join(cells)
