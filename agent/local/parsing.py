"""A message as commands or as a question about the story, by the grammar: every word of it is accounted for."""

import re
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from lark.lexer import PatternRE, PatternStr, TerminalDef

Words = Tree[Token]
"""What a rule of the grammar has taken: tokens, and the trees of the rules within it."""

# Longer messages are texts for a model; the parser's time grows with the length.
_LONGEST = 4_000
# What the parser keeps of a message, in items of its chart: forty commands take half of it, and a second. Of words that
# can be read in very many ways ("add a condition by x by x ...") it grows as the square of their number.
_MOST_ITEMS = 20_000
_COLUMNS_AT_ONCE = 32  # that grow before they are counted again
_VERBS = r"(?:add|create|connect|disconnect|delete|remove|rename|insert)"
# What a text without quotation marks may hide: the next command, or the place of this one.
_HIDDEN = re.compile(
    rf"(?i)(?:[.,;!?]\s+|\s)(?:{_VERBS}\s+(?:it|them|an?|the|this|that|node|another|\d+)\b"
    rf"|(?:(?:and|then|also|please)\s+)+{_VERBS}\s+\w)"
    r"|(?:[.!?;,][\"”’]?|\bthen)\s+(?:then\s+)?(?:the\s+)?(?-i:[A-ZÀ-Þ][\w’'-]*):\s"
    r"|\b(?:says?|asks?|answers?|repl(?:y|ies))\s*[:\"“„]|\bthen\b[^.!?]*\b(?:says?|asks?|answers?|repl(?:y|ies))\b"
    r"|\s(?:after|before|between|(?:(?:lead|go|jump|connect|link)\w*|back)\s+to)\s+(?:node\s+)?#?\d+\W*$"
)
_COMMAND = re.compile(
    r"(?i)\s*(?:(?:please|now|and|also|then|(?:can|could|would|will)\s+you|i\s+want\s+(?:you\s+)?to)\s+)*(?:add|build|call|change"
    r"|connect|convert|create|cut|delete|disconnect|drop|duplicate|edit|export|get\s+rid|give(?!\s+me)|improve|insert|let(?!\s+me)|link|make|merge"
    r"|move|put|remove|rename|replace|rewrite|set|split|swap|translate|turn|undo|update|write)\b"
)
_INTERROGATIVE = re.compile(
    r"(?i)\?\s*$|^\s*(?:please\s+|and\s+|so\s+)*(?:who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|has"
    r"|have\s+(?:we|i|they)|had|should|tell\s+me|i(?:\s+would|['’]d)\s+like\s+to\s+know|i\s+want\s+to\s+know|explain|describe|summari[sz]e"
    r"|remind\s+me|look\s+up|search|find|quote|list|compare|show|what['’]?s|who['’]?s|where['’]?s)\b"
)


@dataclass(frozen=True)
class NotUnderstood:
    """A message that the grammar does not take.

    Attributes:
        rest: From the first word that no form has at this place; empty where the message ends too early.
    """

    rest: str


def read_commands(message: str) -> tuple[Words, ...] | NotUnderstood:
    """The message as commands, in order; all of it, or nothing."""
    parsed = _parsed(message, "commands")
    return parsed if isinstance(parsed, NotUnderstood) else tuple(_trees(parsed))


def read_question(message: str) -> Words | NotUnderstood:
    """The message as one question about the story."""
    parsed = _parsed(message, "question")
    return parsed if isinstance(parsed, NotUnderstood) else _trees(parsed)[0]


def is_question(message: str) -> bool:
    """Whether it asks something, and no line or sentence of it begins as what wants something done."""
    parts = re.split(r"[;\n]|(?<=[.!?])\s", message)
    return _INTERROGATIVE.search(message) is not None and not any(map(_COMMAND.match, parts))


def hides_a_command(text: str) -> bool:
    """Whether a text that stands in no quotation marks seems to end before its end; not looked for in a long one."""
    return len(text) <= _LONGEST and _HIDDEN.search(text) is not None


def token(words: Words, *names: str) -> str:
    """The first token of one of these names, at whatever depth; quotation marks taken off; empty without one."""
    return next((unquoted(one) for one in words.scan_values(lambda t: isinstance(t, Token) and t.type in names)), "")


def child(words: Words, *names: str) -> Words | None:
    """The first rule of one of these names, at whatever depth."""
    return next(iter(children(words, *names)), None)


def children(words: Words, *names: str) -> list[Words]:
    """The rules of these names at whatever depth, in order."""
    return sorted(words.find_pred(lambda tree: tree.data in names), key=lambda tree: tree.meta.start_pos)


def first_ref(words: Words) -> Words:
    """The first reference in the words, which may be one themselves."""
    return child(words, "ref") or words


def without_refs(words: Words) -> Words:
    """The words without their references, in which quotations may stand as well."""
    return Tree(words.data, [one for one in words.children if not (isinstance(one, Tree) and one.data == "ref")])


def unquoted(text: str) -> str:
    """A text without the quotation marks around the whole of it, and without a comma at its end."""
    return text[1:-1] if is_quoted(text) else text.strip()


def is_quoted(text: str) -> bool:
    """Whether it is one quotation."""
    return re.fullmatch(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|\'.*\'|‘[^’]*’', text, re.DOTALL) is not None


def _beginning(text: str) -> str:
    return f"{text[:80]}…"


def _parsed(message: str, start: str) -> Words | NotUnderstood:
    text = message.strip().rstrip(":").rstrip()
    if len(text) > _LONGEST:
        return NotUnderstood(_beginning(text))
    return _read(text, start)


class _TooManyWays(Exception):
    """A text could be read in so many ways that it is not read at all."""


@lru_cache(maxsize=16)  # a message is read for what it needs, and again for what it wants done
def _read(text: str, start: str) -> Words | NotUnderstood:
    try:
        return _parser().parse(text, start=start)  # pyright: ignore[reportReturnType]
    except _TooManyWays:
        return NotUnderstood(_beginning(text))
    except UnexpectedInput as error:
        position = len(text) if error.pos_in_stream in (None, -1) else error.pos_in_stream
        begin = re.search(r"(?<![\w#'’])[\w#'’]*$", text[:position])
        return NotUnderstood(text[begin.start() if begin else position :].strip(" .!?,"))


@lru_cache(maxsize=1)
def _parser() -> Lark:
    start = ["commands", "question"]
    made = Lark.open("grammar.lark", __file__, start=start, propagate_positions=True, edit_terminals=_whole_words)
    earley: Any = made.parser.parser
    earley.predict_and_complete = _within_limits(earley.predict_and_complete)
    return made


def _within_limits(grow: Callable[..., None]) -> Callable[..., None]:
    """The parser's work at each character, with a limit that Lark has none for; raises `_TooManyWays`."""

    def grow_within_limits(at: int, to_scan: Any, columns: Sequence[Sized], *others: Any) -> None:
        grow(at, to_scan, columns, *others)
        if at % _COLUMNS_AT_ONCE == 0 and sum(map(len, columns)) > _MOST_ITEMS:
            raise _TooManyWays

    return grow_within_limits


def _whole_words(terminal: TerminalDef) -> None:
    """A keyword ends where a word ends; its blanks are any white space, and its case does not matter."""
    if isinstance(terminal.pattern, PatternStr) and terminal.pattern.value[-1].isalpha():
        words = r"\s+".join(map(re.escape, terminal.pattern.value.split()))
        terminal.pattern = PatternRE(rf"{words}(?!\w)", ("i",))


def _trees(parsed: Words) -> list[Words]:
    return [one for one in parsed.children if isinstance(one, Tree)]
