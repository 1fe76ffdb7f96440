"""Tells lines that may be headings from those that are text, where only their looks can say it."""

import re

MAX_TITLE = 80
_LABEL_AND_WORDS = re.compile(r".*\w\s?:\s+\S")
_NUMBERED = re.compile(r"(?:\w+\s+)?[\dIVXLC]+(?:\.\d+)*\.")


def is_title(line: str) -> bool:
    """Whether a line that stands out may be a heading: short, and neither a sentence nor `label: words`."""
    line = line.strip()
    if len(line) > MAX_TITLE or "\n" in line or sum(map(str.isalpha, line)) < 2:
        return False
    if _LABEL_AND_WORDS.match(line) and not (line[0].isdigit() or line.isupper()):
        return False
    return not line.endswith((".", ",", ";", "!", "?")) or _NUMBERED.fullmatch(line) is not None
