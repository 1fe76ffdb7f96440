"""What a reply to a question says, where it says it in plain words."""

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Reply:
    """What the user's answer to a question says.

    Attributes:
        agrees: Yes, to all of it or to what is left after the changes.
        changes: What should be different, in the user's words; empty for a plain yes or no.
        more: `changes` only add to it: all that was asked about is agreed to.
    """

    agrees: bool
    changes: str = ""
    more: bool = False

    @property
    def kind(self) -> Literal["yes", "no", "modify"]:
        """The reply in one word."""
        if self.changes:
            return "modify"
        return "yes" if self.agrees else "no"


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
    rf"{_YES_IN_CHINESE}[.!。！]*|{_YES_WORDS}(?:[\s,.!]+(?:{_YES_WORDS}|{_THAT}|please|thanks|thank you))*[.!]*",
    re.IGNORECASE,
)
_NO = re.compile(
    rf"{_NO_IN_CHINESE}[.!。！]*"
    rf"|{_NO_WORDS},? (?:thanks?|thank you)[.!]*|(?:{_NO_WORDS}[\s,.!]+)?(?:{_NO_WORDS}|cancel|stop"
    rf"|don['’]?t|do not|never ?mind|leave (?:it|that|them)|keep (?:it|that|them)"
    rf"|(?:don['’]?t|do not) (?:do (?:it|that)|{_THAT}))[.!]*",
    re.IGNORECASE,
)
_ADDED = re.compile(
    rf"(?P<yes>{_YES_WORDS})[ ,.;:!-]+(?P<changes>(?:and|then|also)\s+(?:please\s+|then\s+|also\s+)*"
    r"(?:add|create|connect|disconnect|delete|remove|rename|set|make|change|insert|put|move|write)\b.*)",
    re.IGNORECASE,
)
# "yes, but keep node 12", "no, only the second one", "all but 12", "keep Elena"
_CHANGED = re.compile(
    rf"(?:(?P<yes>{_YES_WORDS})|{_NO_WORDS})?[\s,.;:!-]*"
    r"(?P<changes>(?:(?:and|please|do)\s+)*(?:all\s+|everything\s+)?"
    r"(?:but|except|only|just|without|keep|leave|not|don['’]?t|instead)\b.*)",
    re.IGNORECASE | re.DOTALL,
)


def read_reply(message: str) -> Reply | None:
    """What a reply to a question says; None when it is no answer, and then it is an ordinary message."""
    words = message.strip()
    if _YES.fullmatch(words):
        return Reply(agrees=True)
    if _NO.fullmatch(words):
        return Reply(agrees=False)
    if added := _ADDED.fullmatch(words):
        return Reply(agrees=True, changes=added["changes"], more=True)
    changed = _CHANGED.fullmatch(words)
    if changed is None or words.endswith("?"):
        return None
    return Reply(agrees=changed["yes"] is not None, changes=changed["changes"])
