"""What one line of a script is: a speech, a choice, a direction, a heading."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from arrow_project.names import fold
from arrow_project.scripts.dialogue import Direction, ScriptError, Speech

# Characters. Whoever writes a document decides how long its lines are, and patterns look through one again and again.
LONGEST_LINE = 3_000
_LONGEST = 100_000
NESTED_TOO_DEEP = "Its choices or conditions are nested too deep."

_BULLET = re.compile(r"(?P<mark>(?:[*+]\s*)+|[-•◦–—]|\d{1,2}[.)]|[a-z]\))\s+(?P<text>\S.*)")
_NAME = r"[^\W\d_][\w.'’&-]*(?:\s+[^\W_][\w.'’&-]*){0,4}"
_SPEECH = re.compile(
    rf"(?:\*\*|__)?(?P<name>{_NAME})(?:\*\*|__)?(?:\s*+[(\[](?P<manner>[^()\[\]]{{1,80}})[)\]])?(?:\s*+(?:\*\*|__))?"
    r"(?:\s*+:|(?<=[A-Z*)])\s+[–—-](?=\s))(?:\*\*|__)?\s*(?P<words>.*)"
)
# As in Ren'Py: a name, and the words in quotation marks.
_QUOTED = re.compile(rf"(?P<name>{_NAME})\s+[\"“](?P<words>[^\"“”]+)[\"”]")
_NAME_ALONE = re.compile(rf"(?:\*\*|__)?(?P<name>{_NAME})\s*(?:\((?P<manner>[^()]{{1,80}})\))?(?:\*\*|__)?")
# Labels that stand before a colon as names do.
_LABELS = (
    "places?|location|setting|set|time|when|where|characters?|cast|present|participants|speakers|summary|synopsis"
    "|(?:writer['’]?s )?notes?|purpose|goal|conditions?|requires|requirements|triggers?|variables|mood|music|sound"
    "|quest|id|tags|status|author|date|version|draft|title|see(?: also)?|weather|background|context|starts|ends|reward"
    "|given by|chapter|act"
)
_FACT = re.compile(rf"(?:\*\*|__)?(?:{_LABELS})(?:\*\*|__)?\s*:(?:\*\*|__)?\s*.*", re.IGNORECASE)
_NARRATORS = frozenset(
    {"narrator", "narration", "voice over", "voiceover", "vo", "text", "description", "stage", "direction"}
)
_SMALL = frozenset(
    {"of", "the", "and", "de", "la", "von", "van", "der", "at", "in", "on", "a", "an", "to", "for", "with", "by", "or"}
)
_NUMBERED = re.compile(
    r"(?:dialogue|dialog|conversation|scene|script|exchange)\s*+(?P<number>\d+[a-z]?|[ivxlc]++(?=\s*[:.–—-]))?\s*(?:[:.–—-]+\s*(?P<title>.*))?",
    re.IGNORECASE,
)
# A screenplay's heading.
_SLUG = re.compile(r"(?:INT|EXT|INT\s*/\s*EXT)\b[. ]")
_LEAVE = re.compile(r"[\[(]?\s*(?:->|→|=>|»)\s*+(?P<target>[^\])]++)[\])]?")
_END = re.compile(
    r"[\[(]?\s*(?:the\s+)?(?:end|done|exit|finish|fin|end\s+of\s+(?:the\s+)?(?:scene|dialogue|conversation))\s*[\])]?\.?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ScriptLine:
    """A line with its depth of indentation; blank lines have no text."""

    indent: int
    text: str

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands in it."""
        return not self.text


@dataclass(frozen=True)
class Bullet:
    """A line that offers a choice; `depth` is its indentation, deeper for each further star."""

    depth: int
    text: str


@dataclass(frozen=True)
class Spoken:
    """A line that names who speaks; the words may follow on the next lines."""

    name: str
    manner: str
    words: str

    @property
    def item(self) -> Speech | Direction:
        """As a dialogue has it; what a narrator says, happens."""
        return (
            Direction(self.words) if is_narrator(self.name) else Speech(title_case(self.name), self.words, self.manner)
        )


def read_lines(text: str) -> list[ScriptLine]:
    """The lines of a text."""
    lines = (line.expandtabs(4).rstrip() for line in text.splitlines())
    return [ScriptLine(len(line) - len(line.lstrip()), line.strip()) for line in lines]


def require_readable(lines: Sequence[ScriptLine]) -> None:
    """Of the lines of one dialogue.

    Raises:
        ScriptError: One of them, or all of them together, is longer than a dialogue is read.
    """
    if any(len(line.text) > LONGEST_LINE for line in lines):
        raise ScriptError(f"A line of it has more than {LONGEST_LINE:,} characters: break it into several.")
    if sum(len(line.text) + 1 for line in lines) > _LONGEST:
        raise ScriptError(f"It has more than {_LONGEST:,} characters: divide it into several dialogues.")


def as_bullet(line: ScriptLine) -> Bullet | None:
    """The line as a choice."""
    found = _BULLET.fullmatch(line.text)
    if found is None:
        return None
    stars = max(len(re.findall(r"[*+]", found["mark"])), 1)
    return Bullet(line.indent + 2 * (stars - 1), found["text"])


def as_speech(text: str) -> Spoken | None:
    """The line as `NAME: words` or `Name "words"`, where the name looks like one; never a line that is too long."""
    if len(text) > LONGEST_LINE:
        return None
    if (quoted := _QUOTED.fullmatch(text)) and looks_like_name(quoted["name"]):
        return Spoken(quoted["name"].strip(), "", quoted["words"])
    found = _SPEECH.fullmatch(text)
    if found is None or is_fact(text) or not looks_like_name(found["name"]):
        return None
    return Spoken(found["name"].strip(), (found["manner"] or "").strip(), _plain(found["words"]))


def as_item(text: str) -> Speech | Direction:
    """The line as what is said, or as what happens."""
    spoken = as_speech(text)
    return spoken.item if spoken is not None and spoken.words else Direction(text)


def speakers(text: str) -> list[str]:
    """Who speaks in a text, in order, names in capitals as one writes them; narrators are nobody."""
    spoken = [as_speech(line.strip(" \t>*-•–—")) for line in text.splitlines()]
    names = [title_case(one.name) for one in spoken if one is not None and one.words and not is_narrator(one.name)]
    return list(dict.fromkeys(names))


def as_name_alone(text: str) -> Spoken | None:
    """The line as a screenplay's name above a speech: capitals only."""
    found = _NAME_ALONE.fullmatch(text)
    if found is None or not found["name"].isupper() or len(found["name"]) < 2:
        return None
    return Spoken(found["name"].strip(), (found["manner"] or "").strip(), "")


def as_leave(text: str) -> str | None:
    """Where the line says to go on; empty at an end; None where it says nothing of the kind."""
    if _END.fullmatch(text):
        return ""
    found = _LEAVE.fullmatch(text)
    if found is None:
        return None
    target = found["target"].rstrip()
    return "" if _END.fullmatch(target) else target


def as_title(text: str) -> tuple[str, str] | None:
    """Number and title of a line such as `DIALOGUE 3: THE FERRY`."""
    plain = text.lstrip("#").strip(" *_=")
    if _SLUG.match(plain) or (text.startswith("==") and plain):
        return "", plain
    found = _NUMBERED.fullmatch(plain)
    if found is None or not (found["number"] or found["title"]):
        return None
    return found["number"] or "", (found["title"] or "").strip(" *_")


def is_fact(text: str) -> bool:
    """Whether the line tells about the dialogue, such as `Place: the quay`."""
    return bool(_FACT.fullmatch(text))


def is_direction(text: str) -> bool:
    """Whether brackets or slanted type mark the whole line as no speech."""
    return bool(re.fullmatch(r"\(.*\)|\[.*\]|\*[^*\s].*\*|_[^_\s].*_", text)) and not text.startswith("**")


def is_narrator(name: str) -> bool:
    """Whether a speech under this name is narration."""
    return fold(name) in _NARRATORS


def looks_like_name(name: str) -> bool:
    """Whether every word but the small ones begins with a capital."""
    words = [word for word in name.split() if word.casefold() not in _SMALL]
    return bool(words) and all(word[0].isupper() or word == "&" for word in words)


def title_case(name: str) -> str:
    """A name or title in capitals as one writes it; others stay as they are."""
    if not name.isupper():
        return name
    words = [word.casefold() for word in name.split()]
    return " ".join(word if index and word in _SMALL else _capital(word) for index, word in enumerate(words))


def without_marks(text: str) -> str:
    """The text without the brackets or stars that mark it as a direction."""
    return text[1:-1].strip() if is_direction(text) else _plain(text)


def _capital(word: str) -> str:
    return re.sub(r"[^\W\d_]", lambda found: found[0].upper(), word, count=1)


def _plain(words: str) -> str:
    """Without Markdown's emphasis around the whole."""
    return re.sub(r"^(\*\*|__|\*|_)(?=\S)(.*\S)\1$", r"\2", words.strip())
