"""Reads pages that are pictures with Tesseract (OCR), where it is installed and as far as there is time."""

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from time import monotonic
from typing import Any, cast

import pymupdf
from pymupdf import mupdf

from ingest.ocr import language_data, usable_languages
from ingest.readers.pdf.page import Fragment
from ingest.readers.text_builder import clean

if sys.platform != "win32":
    import resource

LANGUAGES = "FLETCHER_OCR_LANGUAGES"
"""The environment variable with Tesseract's codes of the languages, joined by `+`."""

# A page of a book takes 3 s at this resolution; a hundred pages are read, the rest of a longer one is reported.
_DPI = 300
_MAX_PIXELS = 25_000_000
_MAX_S = 300.0
_PAGE_CPU_S = 60
_SAME_SIZE = 1.25
# The strokes of a drawing are taken for a letter or two here and there, not for words.
_WORD = re.compile(r"[^\W\d_]{3,}")
_MIN_WORDS = 3
_UPRIGHT = 0.9


class Recognition:
    """Recognises the pages of one document; without Tesseract, or when its time is up, none."""

    def __init__(self) -> None:
        self._data = str(language_data() or "")
        self.languages = usable_languages(os.environ.get(LANGUAGES, "eng"))
        self._until = monotonic() + _MAX_S
        self.is_possible = bool(self.languages)

    def fragments(self, page: pymupdf.Page) -> list[Fragment]:
        """The lines of a page as they are seen on it; nothing if it is blank or takes too long."""
        if not self.is_possible or monotonic() > self._until:
            return []
        resolution = min(_DPI, int(72 * (_MAX_PIXELS / max(page.rect.width * page.rect.height, 1)) ** 0.5))
        if page.get_pixmap(dpi=min(36, resolution), colorspace=pymupdf.csGRAY).is_unicolor:
            return []
        _allow_seconds(_PAGE_CPU_S)
        try:
            recognised = page.get_textpage_ocr(language=self.languages, dpi=resolution, full=True, tessdata=self._data)
            found = cast("dict[str, Any]", page.get_text("dict", textpage=recognised))
        except (RuntimeError, ValueError, mupdf.FzErrorBase) as error:
            if "alloc" in str(error):
                raise MemoryError(str(error)) from error
            return []
        lines: list[dict[str, Any]] = [line for block in found["blocks"] for line in block.get("lines", ())]
        fragments = [fragment for line in lines if (fragment := _fragment(line))]
        words = sum(len(_WORD.findall(fragment.text)) for fragment in fragments)
        return _with_even_sizes(fragments) if words >= _MIN_WORDS else []


def _allow_seconds(seconds: int) -> None:
    """Raise this process's limit of computing time: recognition is slow where reading is not."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
        if soft != resource.RLIM_INFINITY:
            more = soft + seconds if hard == resource.RLIM_INFINITY else min(soft + seconds, hard)
            resource.setrlimit(resource.RLIMIT_CPU, (more, hard))


def _fragment(line: dict[str, Any]) -> Fragment | None:
    text = clean("".join(span["text"] for span in line["spans"]))
    if not any(map(str.isalnum, text)):
        return None
    size = median(span["size"] for span in line["spans"] if span["text"].strip())
    x0, y0, x1, y1 = line["bbox"]
    return Fragment(x0, y0, x1, y1, text, round(size * 2) / 2, bold=False, is_upright=line["dir"][0] > _UPRIGHT)


def _with_even_sizes(fragments: Sequence[Fragment]) -> list[Fragment]:
    """The fragments with the usual type size wherever theirs is near it: it is only guessed from letters' heights."""
    if not fragments:
        return []
    usual = median(fragment.size for fragment in fragments for _ in fragment.text)
    return [_resized(fragment, usual) for fragment in fragments]


def _resized(fragment: Fragment, usual: float) -> Fragment:
    is_usual = usual / _SAME_SIZE < fragment.size < usual * _SAME_SIZE
    return replace(fragment, size=usual) if is_usual else fragment
