"""Reads PDF: text in reading order, physical pages, headings, lists and tables."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pymupdf
from pymupdf import mupdf

from ingest.extracted import Extracted, ReadError
from ingest.readers.formats import Progress
from ingest.readers.pdf.headings import OutlineEntry, heading_levels
from ingest.readers.pdf.hyphens import Hyphens
from ingest.readers.pdf.layout import Line, lines_of
from ingest.readers.pdf.margins import Sheet, without_margins
from ingest.readers.pdf.page import Fragment, read_page
from ingest.readers.pdf.paragraphs import Paragraph, paragraphs_of
from ingest.readers.text_builder import TextBuilder

__all__ = ["read"]

MAX_PAGES = 5000

# The library writes hints and complaints to stdout and stderr; what matters of them comes as an exception.
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)
pymupdf.no_recommend_layout()


def read(data: bytes, progress: Progress) -> Extracted:
    """A PDF document; pages that cannot be read count as pages without text."""
    with _opened(data) as document:
        count = document.page_count
        sheets: list[Sheet] = []
        hidden: list[int] = []
        for number in range(1, count + 1):
            progress(number, count)
            page = document[number - 1]
            fragments, has_hidden = _fragments(page)
            sheets.append(Sheet(lines_of(fragments), page.rect.height))
            hidden += [number] * has_hidden
        outline = [OutlineEntry(level, title, page) for level, title, page in document.get_toc()]
    if not any(sheet.lines for sheet in sheets):
        raise ReadError(
            "NO_TEXT",
            f"none of its {count} page(s) has text, they are pictures; run text recognition (OCR) on it first.",
        )
    body_size = _body_size(line for sheet in sheets for line in sheet.lines)
    extracted = _build(without_margins(sheets, body_size), outline, body_size)
    return replace(extracted, pages_with_hidden_text=tuple(hidden))


def _opened(data: bytes) -> pymupdf.Document:
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except pymupdf.FileDataError as error:
        raise ReadError("CORRUPT", "it is damaged and does not open; save or export it again.") from error
    if document.needs_pass:
        raise ReadError("ENCRYPTED", "it is protected by a password; save a copy without one.")
    if document.page_count == 0:
        raise ReadError("CORRUPT", "no page can be found in it, so it was damaged or cut off; save or export it again.")
    if document.page_count > MAX_PAGES:
        raise ReadError(
            "TOO_MANY_PAGES",
            f"it has {document.page_count:,} pages, {MAX_PAGES:,} are allowed; split it into several files.",
        )
    return document


def _fragments(page: pymupdf.Page) -> tuple[list[Fragment], bool]:
    try:
        return read_page(page)
    except (RuntimeError, ValueError, mupdf.FzErrorBase) as error:
        if "alloc" in str(error):
            raise MemoryError(str(error)) from error
        return [], False  # one damaged page must not cost the others


def _build(pages: list[list[Line]], outline: list[OutlineEntry], body_size: float) -> Extracted:
    hyphens = Hyphens.of(pages)
    paragraphs = [list(paragraphs_of(lines, body_size, hyphens)) for lines in pages]
    levels = heading_levels(paragraphs, outline, body_size)
    builder = TextBuilder()
    for number, page in enumerate(paragraphs, 1):
        builder.start_page(number)
        for paragraph, level in zip(page, levels[number - 1], strict=True):
            _add(builder, paragraph, level)
    return builder.build("pdf")


def _add(builder: TextBuilder, paragraph: Paragraph, level: int) -> None:
    if level:
        builder.add("heading", paragraph.text, level)
    else:
        builder.add(paragraph.kind, paragraph.text)


def _body_size(lines: Iterable[Line]) -> float:
    """The type size of most of the text, in points."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size))
