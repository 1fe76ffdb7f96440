"""What a question asks for (an age, a number of something, a colour, a year, somebody's something), and who says it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora import Passage
from retrieval.sentences import content_terms, split_units

SAYING = 3  # the first passages of a search, one of which must say such a thing

NUMBER = (
    r"\d[\d.,]{0,20}|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|half)"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty[\w-]{0,20}"
)
# Not "what happens to the square colour of a Bishop".
_COLOR_ASKED = (
    r"(?:what|which)(?: [\w'’-]+)? colou?rs?|what(?:['’]s| (?:is|are|was|were))(?: [\w'’-]+){1,3} colou?rs?"
    r"|(?:tell me|know|name|find) (?:the )?colou?rs?|\A\s*(?:the )?colou?rs? (?:of|is|are|has|have)"
)
_COLORS = r"red|orange|yellow|green|blue|purple|violet|pink|brown|black|white|gr[ae]y|silver|gold(?:en)?|scarlet|copper"
# What a sentence has to hold to answer such a question at all: "old notes" is no age.
_REQUIRED = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(rf"\b(?:{needed})\b", re.IGNORECASE))
    for asked, needed in (
        (
            r"how old|what age|the age of",
            rf"(?:{NUMBER})\+?[\s-]+(?:years?|winters?|summers?)|(?:age|aged|born)\b.{{0,200}}(?:{NUMBER})",
        ),
        (r"how (?:many|much|long|far|often|tall|big|heavy)", rf"{NUMBER}|once|twice|never|always|every|daily"),
        (_COLOR_ASKED, _COLORS),
        (r"what year|what date|which year", r"\d{3,4}"),
    )
)
# "How many litres does it burn?" is answered by litres.
_COUNTED = re.compile(r"\bhow (?:many|much) (?!times\b)(?:more |other )?([^\W\d]+)", re.IGNORECASE)
# "Who is Elena's mother?" by what talks of a mother.
_OWNED = re.compile(
    r"\b(?!(?:What|Who|Where|When|How|Why|It|He|She|That|There)['’])[A-ZÀ-Þ][\w-]{1,60}['’]s?\s+([^\W\d]+)"
)


def required(question: str) -> list[re.Pattern[str]]:
    """What a sentence must match to answer: something that is an age, a number, a colour, a year; mostly nothing."""
    return [needed for asked, needed in _REQUIRED if asked.search(question)]


def counted(question: str) -> frozenset[str]:
    """The stems of what the question wants to know the number of."""
    return content_terms(" ".join(_COUNTED.findall(question)))


def is_said(question: str, passages: Sequence[Passage]) -> bool:
    """Whether the passages talk of such a thing as the question asks for, be it the right one or not.

    Only English questions are understood; of whatever else is asked it is taken to be so.
    """
    nouns, needed = counted(question), required(question)
    owned = content_terms(" ".join(_OWNED.findall(question)))
    if owned and not owned <= content_terms(" ".join(passage.embedding_text for passage in passages)):
        return False
    return not (nouns or needed) or any(
        all(one.search(unit.text) for one in needed) and nouns <= unit.terms | content_terms(" ".join(passage.heading))
        for passage in passages
        for unit in split_units(passage.text)
    )
