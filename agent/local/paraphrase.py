"""Other ways to say a command, turned into the one that the rules know."""

import re

from agent.local.phrase import QUOTED, Phrase

_SPEAKS = r"(?:say|ask|answer|reply|respond|whisper|shout|add|remark)(?:s|es|ing)?"
_END = r"(?:at|to|on) the (?:very )?end(?: of (?:the|this) (?:open )?(?:scene|story))?"
# Each from left to right, once; the text behind a colon is left alone.
_FORMS: tuple[tuple[str, str], ...] = (
    (r"(?:(?:we|i) (?:need|want)|there should be|give me) (?=(?:an?|another|two|three)\b)", r"add "),
    (r"(?:get rid of|take out|drop|throw out) ", r"delete "),
    (r"(?:cut|break|sever) (?=(?:the )?(?:link|connection))", r"delete "),
    (r"(?:leave|put) an? (?:comment|remark) (?:on|to|at) ", r"add a note to "),
    (r"change the name of (?P<what>(?:the |this )?(?:scene|macro|variable|character)\b.*?) (?:to|into) ",
     r"rename \g<what> to "),
    (r"add (?P<who>[^:]+?) as an? (?P<kind>character)$", r"add a \g<kind> \g<who>"),
    (r"(?:create|add|make|declare|new) (?:an? |the )?(?:new )?(?P<type>bool|boolean|flag)(?= )(?! variable)",
     r"add a \g<type> variable"),
    (r"(?P<name>\S+) (?:should|must|shall) (?:start|begin) (?:at|with|as) ", r"set the initial value of \g<name> to "),
    (r"jump from (?P<from>.+?) to (?P<to>.+)$", r"add a jump to \g<to> after \g<from>"),
    (r"(?:go|jump) (?:back )?to (?P<to>.+?) after (?P<from>.+)$", r"add a jump to \g<to> after \g<from>"),
    (rf"import (?P<title>{QUOTED})", r"build a scene from \g<title>"),
    (rf"(?:i(?: would|['’]d)? (?:want|like)|let|have|make) (?P<who>(?!the player\b)[^:]+?) (?:to )?{_SPEAKS}(?=[:\s])",
     r"make \g<who> say"),
    (rf"(?P<who>[^\s:]+) (?:should|must|shall|could) (?:then )?{_SPEAKS}(?=[:\s])", r"make \g<who> say"),
    (r"give (?P<who>(?!the player\b)[^\s:]+) (?:an?|another|one more|the) (?:new )?line\b", r"add a dialog by \g<who>"),
    (r"(?:let|have) the player (?:choose|pick|decide)\b", r"add a choice"),
    (r"(?:give|offer) the player (?:the |a )?(?:choices?|options?)\b(?: of| between)?", r"add a choice "),
    (r"check (?=(?:if|whether)\b)", r"add a condition "),
    (r"branch (?:on|by) ", r"add a condition "),
)  # fmt: skip
_PARAPHRASES = tuple(
    (re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL), form) for pattern, form in _FORMS
)
_AT_END = re.compile(_END.replace(" ", r"\s+"), re.IGNORECASE)
_ADDS = re.compile(r"(?:add|append|put|insert|write|place|create)\b", re.IGNORECASE)
# "After node 30, add a …": the place goes to where the rules expect it.
_PLACE_FIRST = re.compile(
    r"(?P<place>(?:(?:right|directly)\s+)?(?:after|before|between)\s+[^,:;]+?)\s*,\s*"
    r"(?P<rest>(?:add|create|insert|make|put|append|place|write|let|have|give|set|increase|decrease)\b.+)",
    re.IGNORECASE | re.DOTALL,
)


def in_known_words(words: Phrase) -> Phrase:
    """The command as the rules have it; words that are in no such form stay as they are."""
    return _place_last(_rephrased(words))


def _rephrased(words: Phrase) -> Phrase:
    masked = words.masked.strip()
    for pattern, form in _PARAPHRASES:
        if (found := pattern.match(masked)) is not None:
            masked = found.expand(form) + masked[found.end() :]
            break
    if _ADDS.match(masked) is None:
        return words.part(masked)
    head, colon, text = masked.partition(":")
    return words.part(_AT_END.sub("after the end of the scene", head) + colon + text)


def _place_last(words: Phrase) -> Phrase:
    found = _PLACE_FIRST.fullmatch(words.masked.strip())
    if found is None:
        return words
    rest, place = _rephrased(words.part(found["rest"])).masked, found["place"]
    head, colon, text = rest.partition(":")
    return words.part(f"{head} {place}{colon}{text}" if colon else f"{rest} {place}")
