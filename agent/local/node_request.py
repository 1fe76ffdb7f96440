"""What "add a …" asks for: its text, its name, who speaks, and where it goes."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from agent.local.phrase import QUOTED, Phrase
from agent.local.steps import NotDone

# Each modifier takes the words up to the next one.
_MODIFIERS = {
    "between": r"between",
    "after": r"(?:right\s+|directly\s+)?(?:after|following)|(?:connected|coming)\s+from|(?:connected|attached)\s+to"
    r"|(?:and\s+)?connect\s+it\s+from|from(?=\s+(?:node\s+)?#?\d)",
    "before": r"(?:right\s+|directly\s+)?before|(?:and\s+)?(?:leading|going)\s+to|(?:and\s+)?connect\s+it\s+to",
    "scene": r"(?:in|into|to)(?=\s+(?:(?:the|this|current|open)\s+)*(?:scene|macro)(?:\b|_))",
    "name": r"named|called|with\s+(?:the\s+)?name",
    "title": r"titled|entitled|labell?ed|with\s+(?:the\s+)?(?:title|label)",
    "color": r"(?:with\s+(?:the\s+)?|in\s+)?colou?r(?:ed)?",
    "notes": r"with\s+(?:the\s+|a\s+)?notes?",
    "who": r"(?:spoken\s+|said\s+)?by",
    "of": r"for|about|into|of|on",
    "to": r"(?:in)?to",
    "slot": r"(?:from\s+|on\s+|at\s+|in\s+)?(?:its\s+)?(?:output\s+)?slot",
    "branch": r"on(?:\s+(?:its\s+|the\s+)?(?:choice|option|action|line|path|branch|answer))?"
    r"|(?:from|under|for)\s+(?:its\s+|the\s+)?(?:choice|option|action|line|path|branch|answer)",
}
_OF_ALL = ("slot", "branch", "between", "after", "before", "scene", "name", "notes")
_OF_TYPE = {
    "content": ("title",), "dialog": ("who", "of"), "monolog": ("who", "of"), "marker": ("title",),
    "entry": ("title",), "frame": ("title", "color"), "generator": ("of",), "user_input": ("of",),
    "tag_edit": ("of",), "tag_match": ("of",), "tag_pass": ("of",), "macro_use": ("of",), "jump": ("to",),
}  # fmt: skip
# The text of these may hold any word, so a place behind it counts only in the plainest forms.
_PROSE = frozenset({"content", "dialog", "monolog", "interaction", "user_input"})
# Of these the words before the text say how many, or any or all.
_WITH_BODY = frozenset({"hub", "randomizer", "sequencer", "tag_pass", "jump"})
# Words such as "on" belong to a place only once a place has been named.
_OF_PLACE = frozenset({"slot", "branch"})
_COLON = re.compile(r":(?!:)")
_INTRODUCED = re.compile(
    r"\b(?:(?:where|in\s+which|with)\s+(?P<who>[^:,]+?)\s+(?:says|saying|asks|asking)|(?:saying|says)(?:\s+that\b)?|that\s+says|which\s+says"
    r"|reading|asking|with\s+(?:the\s+)?(?:text|lines?|words|content|options?|choices|actions|answers))\b\s*:?",
    re.IGNORECASE,
)
_QUOTED_LIST = re.compile(rf"\s*{QUOTED}(?:\s*(?:,|/|\||\bor\b|\band\b|,\s*(?:and|or)\b)?\s*{QUOTED})*", re.IGNORECASE)
_RANGE = re.compile(r"-?\d+\s+(?:and|to)\s+-?\d+", re.IGNORECASE)
_EDGES = " ,.?!()\n\t"
_TRAILING = re.compile(
    r"[,.]?\s+\(?(?P<tail>(?:(?:right\s+|directly\s+)?after\s+(?:node\s+#?\d+|#\d+|(?:the\s+)?(?:selected|last)\s+node)"
    r"|(?:and\s+)?(?:connected\s+from|connect\s+it\s+(?:from|to))\s+(?:node\s+)?#?\d+)"
    r"(?:\s+(?:on\s+(?:true|false)|(?:from\s+|on\s+|at\s+)?slot\s+\d+))?)\)?\s*\.?$",
    re.IGNORECASE,
)


@dataclass
class NodeRequest:
    """The parts of one "add a …"; what is empty was not said.

    Attributes:
        type: The protocol's node type.
        body: The words that belong to no modifier, such as `gold >= 10`.
        text: What follows the colon or "saying", or stands in quotation marks; None when nothing does.
        modifiers: The words of each modifier that was given.
    """

    type: str
    body: Phrase
    text: Phrase | None
    modifiers: dict[str, Phrase] = field(default_factory=dict[str, Phrase])

    @property
    def content(self) -> Phrase:
        """The text, or, where nobody marked one, the body."""
        return self.body if self.text is None else self.text


def read_node_request(kind: str, rest: Phrase) -> NodeRequest:
    """Takes what follows the node type apart."""
    head, text, who = _split_text(rest)
    body, modifiers = _take_modifiers(head, _keywords(kind))
    if who is not None:
        modifiers.setdefault("who", who)
    if text is not None and kind not in _PROSE and not text.ends_quoted:
        text, more = _take_modifiers(text, _keywords(""))
        modifiers = more | modifiers
    if text is None and kind == "generator":
        text = _take_range(modifiers)
    if text is None:
        text = _text_behind(modifiers)
    if text is None and (quoted := body.quoted_parts()) and _QUOTED_LIST.fullmatch(body.masked):
        text = body.part(" / ".join(part.masked for part in quoted)) if len(quoted) > 1 else quoted[0]
        body = body.part("")
    if text is not None and not body.is_empty and kind not in _WITH_BODY:
        body = _assign(kind, body, modifiers)
    return NodeRequest(kind, body, text, modifiers)


def _take_range(modifiers: dict[str, Phrase]) -> Phrase | None:
    """`between 1 and 6` and `from 1 to 6` say which values where no others are said, not where the node goes."""
    for name in ("between", "after"):
        if name in modifiers and _RANGE.fullmatch(modifiers[name].masked):
            return modifiers.pop(name)
    return None


def _text_behind(modifiers: dict[str, Phrase]) -> Phrase | None:
    """A quotation behind a modifier's words, such as `by Elena "Wait!"`; it is cut off from them."""
    for name, value in modifiers.items():
        behind = re.fullmatch(rf"(.*[\w)])[\s,]+({QUOTED})", value.masked, re.DOTALL)
        if behind and not re.search(
            r"\b(?:node|dialog(?:ue)?|content|choice|option|scene|named|the)$", behind[1], re.IGNORECASE
        ):
            modifiers[name] = value.part(behind[1])
            return value.part(behind[2])
    return None


def _assign(kind: str, body: Phrase, modifiers: dict[str, Phrase]) -> Phrase:
    """Words before the text that no keyword introduces, such as the speaker in `add a dialog Elena: Hello`."""
    wanted = next(iter(_OF_TYPE.get(kind, ())), None)
    unmarked = wanted == "title" and not body.is_quoted
    if wanted is None or unmarked or wanted in modifiers or any(other in modifiers for other in ("who", "of")):
        raise NotDone(f"I do not know what “{body.text}” means for a {kind}.")
    modifiers[wanted] = body
    return body.part("")


def opens_text(rest: Phrase) -> bool:
    """Whether a colon or a word such as "saying" begins a text in what follows the node type."""
    return bool(_COLON.search(rest.masked) or _INTRODUCED.search(rest.masked))


def _split_text(rest: Phrase) -> tuple[Phrase, Phrase | None, Phrase | None]:
    """The words before the text, the text, and the speaker if "where NAME says" begins it."""
    found_marks = (_COLON.search(rest.masked), _INTRODUCED.search(rest.masked))
    marks = sorted((found for found in found_marks if found), key=lambda found: found.start())
    if not marks:
        return rest, None, None
    who = marks[0].groupdict().get("who")
    head, text = rest.masked[: marks[0].start()], rest.masked[marks[0].end() :].lstrip(" \t:")
    tail = ""
    if quoted := _QUOTED_LIST.match(text):
        text, tail = text[: quoted.end()], text[quoted.end() :]
    if not tail and (trailing := _TRAILING.search(text)):
        text, tail = text[: trailing.start()], trailing["tail"]
    if quoted and tail and not _keywords("dialog").match(tail.lstrip(" ,.(")):
        text, tail = text + tail, ""
    return rest.part(f"{head} {tail.strip(' ,.()')}"), rest.part(text), None if who is None else rest.part(who)


def _take_modifiers(head: Phrase, keywords: re.Pattern[str]) -> tuple[Phrase, dict[str, Phrase]]:
    found: list[re.Match[str]] = []
    for mark in keywords.finditer(head.masked):
        if mark.lastgroup not in _OF_PLACE or any(earlier.lastgroup == "after" for earlier in found):
            found.append(mark)
    ends = [mark.start() for mark in found[1:]] + [len(head.masked)]
    modifiers: dict[str, Phrase] = {}
    for mark, end in zip(found, ends, strict=False):
        modifiers.setdefault(str(mark.lastgroup), head.part(head.masked[mark.end() : end].strip(_EDGES)))
    body = head.masked[: found[0].start()] if found else head.masked
    return head.part(body.strip(_EDGES)), modifiers


@lru_cache(maxsize=32)
def _keywords(kind: str) -> re.Pattern[str]:
    """The modifiers that a node type has; a word that is none of them stays part of the body."""
    names = (*_OF_ALL, *_OF_TYPE.get(kind, ()))
    alternatives = "|".join(f"(?P<{name}>{_MODIFIERS[name]})" for name in names)
    return re.compile(rf"(?:^|(?<=[\s,)\ue000-\uf8ff]))(?:{alternatives})(?=[\s\ue000-\uf8ff]|$)", re.IGNORECASE)
