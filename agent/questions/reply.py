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


# Words with one of these are no yes, whoever reads them: they refuse, restrict or ask. Better to be asked once more.
_REFUSES = re.compile(
    rf"(?i)\b(?:(?!no (?:problem|worries|objection)){_NO_WORDS}|nah|not|none|nothing|never|cannot|\w+n['’]t|dont"
    r"|stop|wait|cancel|abort|keep|leave|but|except|unless|only"
    r"|nein|nicht|nichts|kein\w*|nie|niemals|aber|außer|nur|non|pas|jamais|mais|sauf|nunca|nada|pero|salvo|não|mas"
    r"|mai|ma|niet|geen|nooit|maar|nej|ikke|inte|aldrig|ei|nem|нет|не|никогда|но|кроме|hayır|değil|ama|لا|اما|ولی)\b"
    # Written without blanks, or with the refusal within the word.
    r"|نکن|[不别否但]|取消|算了|いいえ|ない|ません|だめ|ダメ|やめ|でも|아니|않|마세요|지만|[?？؟👎❌🙅✋🚫⛔🛑🤔]"
)


def may_agree(message: str) -> bool:
    """Whether a model may take the words for a yes: nothing in them refuses, restricts or asks."""
    return not _REFUSES.search(message)
