"""Text as the words that the full-text index compares: folded, without stop words, stemmed."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache, lru_cache

import Stemmer

# Scripts that put no spaces between words are indexed by the character: a run of them would be one "word".
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\W_{_IDEOGRAPHS}]+")

# Characters: taking apart takes the square of the marks in a row, and no other thread runs meanwhile.
_TAKEN_APART = 100

# A letter has two marks at most; the signs that Unicode takes for words of up to eighteen letters stand alone.
_MOST_PARTS = 4

# What of a text may be in letters that become several. More than that is no text, and would take an index a minute.
_WIDER, _FEW = 1.25, 100

# Letters that Unicode does not take apart into a base letter and a mark.
_BARE_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})


def fold(text: str) -> str:
    """The text without case and diacritics: `Élan` and `elan` are the same."""
    if text.isascii():
        return text.lower()
    starts = range(0, len(text), _TAKEN_APART)
    # First of all: it turns some letters into capitals.
    pieces = (text[at : at + _TAKEN_APART] for at in starts)
    parts = "".join(unicodedata.normalize("NFKD", piece)[: _MOST_PARTS * len(piece)] for piece in pieces)
    marks = [part for part in set(parts) if unicodedata.combining(part)]  # a text has few different characters
    bare = parts.translate(dict.fromkeys(map(ord, marks))) if marks else parts
    return unicodedata.normalize("NFC", bare.casefold()).translate(_BARE_LETTERS)


def split_words(text: str) -> list[str]:
    """The words of a text in their order, folded; an ideograph is one. Of what folding makes far longer, the first."""
    return _WORD.findall(fold(text)[: round(_WIDER * len(text)) + _FEW])


def terms(text: str) -> list[str]:
    """The words that carry meaning, stemmed as English; words of other languages mostly stay as they are."""
    return [stemmed for word in split_words(text) if (stemmed := word if _is_sign(word) else stem(word))]


def _is_sign(word: str) -> bool:
    """Whether it is an ideograph, or stands alone as one does: many in a text, and each is its own stem."""
    return len(word) == 1 and not word.isascii()


@cache
def _stop_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN_PLUS  # brings scipy along: only when something is searched

    return frozenset(word for phrase in STOPWORDS_EN_PLUS for word in split_words(phrase))


_stemmer = Stemmer.Stemmer("english", 0)  # without a cache of its own: `kept_stem` has one, which can be emptied
_stemmer_lock = threading.Lock()  # a stemmer object must not be used by two threads at once


# Letters: longer ones are hardly words, come hardly again, and would take hundreds of megabytes.
_LONGEST_KEPT = 40


def stem(word: str) -> str:
    """The stem, or an empty string for a stop word."""
    return kept_stem(word) if len(word) <= _LONGEST_KEPT else kept_stem.__wrapped__(word)


# A project's working vocabulary; a document may be made of words that never come again.
@lru_cache(maxsize=1 << 15)
def kept_stem(word: str) -> str:
    """`stem` of a word that may come again."""
    if word in _stop_words():
        return ""
    with _stemmer_lock:
        return _stemmer.stemWord(word)
