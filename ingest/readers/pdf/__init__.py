"""Reads PDF: text in reading order, physical pages, headings, lists and tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pymupdf
from pymupdf import mupdf

from ingest.extracted import Extracted, ReadError
from ingest.readers.formats import PageListener
from ingest.readers.pdf.headings import OutlineEntry, heading_levels
from ingest.readers.pdf.hyphens import Hyphens
from ingest.readers.pdf.layout import TextLine, lines_of, rows_of
from ingest.readers.pdf.margins import Sheet, without_margins
from ingest.readers.pdf.page import Fragment, read_page
from ingest.readers.pdf.paragraphs import Paragraph, paragraphs_of
from ingest.readers.pdf.recognition import Recognition
from ingest.readers.text_builder import TextBuilder

__all__ = ["read"]

MAX_PAGES = 5000
_INSTALL = "and Tesseract is not here to read them; install it, or run text recognition (OCR) on the document first"

# The library writes hints and complaints to stdout and stderr; what matters of them comes as an exception.
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)
pymupdf.no_recommend_layout()


def read(data: bytes, progress: PageListener) -> Extracted:
    """A PDF document; pages that cannot be read count as pages without text."""
    with _opened(data) as document:
        count = document.page_count
        pages: list[list[Fragment]] = []
        heights: list[float] = []
        hidden: list[int] = []
        recognised: list[int] = []
        recognition: Recognition | None = None
        for number in range(1, count + 1):
            progress(number, count)
            page = document[number - 1]
            fragments, has_hidden = _fragments(page)
            if not fragments:
                recognition = recognition or Recognition()
                fragments = recognition.fragments(page)
                recognised += [number] * bool(fragments)
            pages.append(fragments)
            heights.append(page.rect.height)
            hidden += [number] * has_hidden
        outline = [OutlineEntry(level, title, page) for level, title, page in document.get_toc()]
    if not any(pages):
        tried = recognition is not None and recognition.is_possible
        remedy = "and text recognition (OCR) found no words in them" if tried else _INSTALL
        raise ReadError("NO_TEXT", f"none of its pages has text, they are pictures or blank, {remedy}.")
    body_size = _body_size(pages)
    inside = list(_inside_margins(pages, heights, body_size))
    # A document of nothing but running lines is a short one that looks like them.
    lines = [lines_of(fragments) for fragments in (inside if any(inside) else pages)]
    extracted = _build(lines, outline, body_size)
    if extracted.pages_without_text:
        recognition = recognition or Recognition()  # of a page with nothing but running lines, none was tried
    return replace(
        extracted,
        pages_with_hidden_text=tuple(hidden),
        pages_recognized=tuple(recognised),
        ocr_languages=recognition.languages if recognition else "",
    )


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


def _inside_margins(
    pages: Sequence[Sequence[Fragment]], heights: Sequence[float], body_size: float
) -> Iterator[list[Fragment]]:
    """Each page without its running lines; these are known before the columns are, which they run across."""
    rows = [rows_of(fragments) for fragments in pages]
    sheets = [Sheet([line for line, _ in page], height) for page, height in zip(rows, heights, strict=True)]
    for page, lines in zip(rows, without_margins(sheets, body_size), strict=True):
        kept = {id(line) for line in lines}
        yield [fragment for line, fragments in page if id(line) in kept for fragment in fragments]


def _build(pages: list[list[TextLine]], outline: list[OutlineEntry], body_size: float) -> Extracted:
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


def _body_size(pages: Sequence[Sequence[Fragment]]) -> float:
    """The type size of most of the text, in points."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for fragment in page:
            sizes[fragment.size] += len(fragment.text)
    return max(sizes, key=lambda size: (sizes[size], -size))
