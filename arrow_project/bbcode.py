"""Arrow shows texts as BBCode: what of one its reader can read, which files it names."""

import re
from collections.abc import Iterator
from typing import Any

from arrow_project.node_types.kinds import clean
from arrow_project.values import texts_in

# Each `[`: with the tag that it begins, if it does; what is quoted in one may hold a `]`, so that is none.
_MARK = re.compile(r"""\[(?:(/?)(\w+)([ =][^\[\]"']*)?\])?""")
# Whatever stands in these can be read. Any other may hide it: a colour, a size, a hint, an image, one we do not know.
_READABLE = frozenset(
    {"b", "i", "u", "s", "code", "p", "center", "left", "right", "fill", "url", "wave", "shake", "tornado", "rainbow"}
)
_WITHOUT_END = frozenset({"br", "hr", "lb", "rb"})
# Arrow's exported pages show texts as HTML, which a variable's value may be as well; and what is made to run from right
# to left is read as something else.
_HIDING = re.compile("<[a-zA-Z/!?]|\\{|[\u202a-\u202e\u2066-\u2069]")
# Tags whose file Arrow loads as it draws the text, and runs a script that is in it; and what becomes one of them in a
# story that is played, where parts are put together: at the `{` of a value, or at the end. `[{"a": 1}]` is JSON.
_FILE = re.compile(
    r"\[img[^\[]*"  # `[img2]` is one, too
    r"|\[(?:dropcap(?!\])|font(?!\w))[^\]]*"
    r"|\[(?:i|im|f|fo|fon|d|dr|dro|drop|dropc|dropca)?(?:\{(?!\")[^\[]*|\Z)",
)
_MOST_COMPARED = 10_000_000  # characters: a hundredth of a second


def is_readable_in(text: str, other: str) -> bool:
    """Whether `other` says `text` at a place where a reader reads it, and not in a tag, or in what a tag may hide.

    Neither where there is more in it that may hide a text in another way: HTML, the values of variables. Also no where
    it says it so often in such places that to look at all of them would take too long.
    """
    if _may_hide(other) > _may_hide(text):
        return False
    open_tags: list[tuple[str, bool]] = []
    hidden_by = 0
    left = _MOST_COMPARED
    start = other.find(text)
    for mark in _MARK.finditer(other):
        if 0 <= start <= mark.start() and not hidden_by:
            return True
        if start < mark.end():
            start = other.find(text, mark.end())
            left -= len(text)
        end, name, value = mark.groups()
        # What follows stands in a tag, or in what we cannot read as Arrow does.
        if start < 0 or left < 0 or name is None:
            return False
        if not end and name not in _WITHOUT_END:
            hides = name not in _READABLE or (value is not None and name != "url")
            open_tags.append((name, hides))
            hidden_by += hides
        elif open_tags and open_tags[-1][0] == name:  # Arrow, too, ends only the tag that was begun last
            hidden_by -= open_tags.pop()[1]
    return start >= 0 and not hidden_by


def _may_hide(text: str) -> int:
    return sum(1 for _ in _HIDING.finditer(text))


def files_in(value: Any) -> Iterator[str]:
    """What in the texts and keys of a JSON value makes Arrow load a file, or may do so once the story is played."""
    for text in texts_in(value):
        for found in _FILE.finditer(clean(text)):
            yield found[0]
