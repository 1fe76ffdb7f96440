"""What a reply to a question says, where it says it in plain words."""

import re
from typing import Literal

_YES_WORDS = (
    r"(?:yes|yep|yeah|y|ok|okay|sure thing|sure|(?:just )?do (?:it|that)|go ahead|confirm|confirmed|please do"
    r"|apply(?: (?:it|that|this|them))?|بله|بلی|آره|آری|باشه|حتما|تایید|تأیید)"
)
# Arrow is translated into English, Persian and Chinese.
_NO_WORDS = r"(?:no|nope|n|نه|خیر|نخیر|لغو|نکن)"
# What was asked about, named once more: "yes, delete it".
_THAT = r"(?:delete|remove|change|replace|overwrite|cut|undo|take) (?:it|that|this|them)(?: back)?"
_YES_IN_CHINESE = r"(?:是|是的|好|好的|好吧|可以|行|对|确认|没问题)"
_NO_IN_CHINESE = r"(?:不|不是|不行|不要|不用|不用了|否|取消|算了)"
_YES = re.compile(
    rf"(?i){_YES_IN_CHINESE}[.!。！]*|{_YES_WORDS}(?:[\s,.!]+(?:{_YES_WORDS}|{_THAT}|please|thanks|thank you))*[.!]*"
)
_NO = re.compile(
    rf"(?i){_NO_IN_CHINESE}[.!。！]*|{_NO_WORDS},? (?:thanks?|thank you)[.!]*"
    rf"|(?:{_NO_WORDS}[\s,.!]+)?(?:{_NO_WORDS}|cancel|stop|don['’]?t|do not|never ?mind"
    rf"|(?:leave|keep) (?:it|that|them)|(?:don['’]?t|do not) (?:do (?:it|that)|{_THAT}))[.!]*"
)


def read_reply(message: str) -> Literal["yes", "no"] | None:
    """What a reply to a question says; None when that takes a reader, or when it is an ordinary message."""
    words = message.strip()
    if _YES.fullmatch(words):
        return "yes"
    return "no" if _NO.fullmatch(words) else None


# Words that begin so are no yes, whoever reads them; Chinese has no blanks between them.
_REFUSES = re.compile(
    rf"(?i)\W*(?:{_NO_IN_CHINESE}|[不别否]|(?!no (?:problem|worries|objection))(?:{_NO_WORDS}|nah|not|never|don['’]?t"
    r"|do not|stop|wait|cancel|keep|leave|nein|nicht|non|niet|nie|нет|не)\b)"
)


def may_agree(message: str) -> bool:
    """Whether a model may take the words for a yes: they neither begin with a refusal nor ask something back."""
    return not _REFUSES.match(message) and not message.rstrip(" \t\r\n!\"'”’").endswith(("?", "？"))
