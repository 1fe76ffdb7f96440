"""Regular expressions: those of writers, and those that stand for equality, which Arrow lacks for texts."""

import re
import warnings

_SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")
_ESCAPED = re.compile(r"\\([\\^$.|?*+()\[\]{}])")
_EQUAL = re.compile(r"\^(.*)\$\Z", re.DOTALL)
_UNEQUAL = re.compile(r"\^\(\?!\(\?:(.*)\)\$\)\Z", re.DOTALL)
# an escaped character, or a set of characters; one that is not closed goes on to the end of the pattern
_BRACKETS = re.compile(r"\\.|\[\^?\]?(?>(?:\\.|[^\]\\])*)(?:\]|\\?\Z)", re.DOTALL)
_FOREIGN = re.compile(r"\\[AZzGUN]|\(\?(?!:|=|!|<=|<!|<[A-Za-z_$])|(?:[*+?]|\{\d+(?:,\d*)?\})\+")
_ASCII = 0x7F
_WIDE = re.compile(r"[^\x00-\x7f]")
_WIDE_RANGE = re.compile(r"([^\x00-\x7f])-([^\x00-\x7f])")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|.)", re.DOTALL)
_FOREIGN_ESCAPES = frozenset({r"\A", r"\Z", r"\z", r"\G", r"\U", r"\N"})
# Groups in groups take Python the length times the depth; no writer's pattern comes near.
MAX_PATTERN = 2_000
# Python takes up to three millionths of a second for a character. Different patterns, each of them once.
MAX_PATTERNS = 500_000
FOREIGN_HINT = (
    "flags such as (?i), (?P<name>), conditionals, atomic and possessive forms, \\A, \\Z, \\U and \\N are not "
    f"understood, nor is anything of more than {MAX_PATTERN:,} characters"
)


def _plain(found: re.Match[str]) -> str:
    """A stand-in for what has no meaning beyond itself; an escape that only Python knows stays, in a set too."""
    return next((one[0] for one in _ESCAPE.finditer(found[0]) if one[0] in _FOREIGN_ESCAPES), "x")


def _cheap(found: re.Match[str]) -> str:
    """A set as it is, but of ASCII: Python takes two thousandths of a second for one that goes far beyond."""
    if not found[0].startswith("["):
        return found[0]
    ranged = _WIDE_RANGE.sub(lambda ends: "~" if ends[1] <= ends[2] else "b-a", _ESCAPE.sub(_character, found[0]))
    return _WIDE.sub("~", ranged)


def _character(found: re.Match[str]) -> str:
    code = int(found[1] or found[2] or "0", 16)
    return chr(code) if code > _ASCII else found[0]


def equality(operator: str, literal: str) -> str:
    """The anchored pattern that is true where ``== literal`` or ``!= literal`` would be."""
    escaped = _SPECIAL.sub(r"\\\1", literal)
    return f"^{escaped}$" if operator == "==" else f"^(?!(?:{escaped})$)"


def compared(pattern: object) -> tuple[str, str] | None:
    """The operator and literal that a pattern was made of, which is none of more than `MAX_PATTERN` characters."""
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN:
        return None
    for operator, form in (("!=", _UNEQUAL), ("==", _EQUAL)):
        match = form.match(pattern)
        if match:
            literal = _ESCAPED.sub(r"\1", match[1])
            if equality(operator, literal) == pattern:
                return operator, literal
    return None


def compiles(pattern: str) -> bool:
    r"""Whether a pattern compiles, as far as Python can tell of Godot's (PCRE) and the browser's syntax.

    What only one of the two understands does not: flags inside of the pattern, (?P<name>), conditionals, atomic groups,
    possessive quantifiers, \A, \Z, \U and \N. One of more than `MAX_PATTERN` characters is not tried.
    """
    if len(pattern) > MAX_PATTERN or _FOREIGN.search(_BRACKETS.sub(_plain, pattern)):
        return False
    pythonic = re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", pattern)
    pythonic = re.sub(r"\\[pP](\{[^{}\\]*\}|[A-Z])", r"\\w", pythonic)
    pythonic = re.sub(r"\\k<([A-Za-z_]\w*)>", r"(?P=\1)", pythonic)
    pythonic = _BRACKETS.sub(_cheap, pythonic)
    try:
        with warnings.catch_warnings():
            # "possible nested set" and the like: of no concern to Godot and browsers
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(pythonic)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


class Patterns:
    """Those of one story, each judged once; of more than `MAX_PATTERNS` characters together only the first.

    Attributes:
        untried: How often one was asked about that is not among the first.
    """

    def __init__(self) -> None:
        self._judged: dict[str, bool] = {}
        self._characters = 0
        self.untried = 0

    def compiles(self, pattern: str) -> bool:
        """As `compiles`; nobody says of an untried one that it does not."""
        if pattern not in self._judged:
            characters = self._characters + min(len(pattern), MAX_PATTERN)
            if characters > MAX_PATTERNS:
                self.untried += 1
                return True
            self._characters = characters
            self._judged[pattern] = compiles(pattern)
        return self._judged[pattern]
