"""Regular expressions: those of writers, and those that stand for equality, which Arrow lacks for texts."""

import re

_SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")
_ESCAPED = re.compile(r"\\([\\^$.|?*+()\[\]{}])")
_EQUAL = re.compile(r"\^(.*)\$\Z", re.DOTALL)
_UNEQUAL = re.compile(r"\^\(\?!\(\?:(.*)\)\$\)\Z", re.DOTALL)


def equality(operator: str, literal: str) -> str:
    """The anchored pattern that is true where ``== literal`` or ``!= literal`` would be."""
    escaped = _SPECIAL.sub(r"\\\1", literal)
    return f"^{escaped}$" if operator == "==" else f"^(?!(?:{escaped})$)"


def compared(pattern: object) -> tuple[str, str] | None:
    """The operator and literal that a pattern was made of."""
    if not isinstance(pattern, str):
        return None
    for operator, form in (("!=", _UNEQUAL), ("==", _EQUAL)):
        match = form.match(pattern)
        if match:
            literal = _ESCAPED.sub(r"\1", match[1])
            if equality(operator, literal) == pattern:
                return operator, literal
    return None


def compiles(pattern: str) -> bool:
    """Whether a pattern compiles, as far as Python can tell of Godot's (PCRE) and the browser's syntax."""
    pythonic = re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", pattern)
    pythonic = re.sub(r"\\[pP](\{[^}]*\}|[A-Z])", r"\\w", pythonic)
    try:
        re.compile(pythonic)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
