"""Questions, answered with the sentences of the documents that answer them best."""

import re
from collections.abc import Sequence

from agent.local.resolver import join
from agent.local.steps import Say, Steps, ToolCall
from agent.turn.request import TurnContext
from retrieval import NumberedPassage, Quote, best_quotes, content_terms

# How much of a question's words, weighed by rarity, a sentence must have to answer it, and to be worth showing.
_ANSWERED, _NEAR = 0.7, 0.34
# A sentence with the words of such a question may say the opposite, or answer half of it.
_UNSURE = re.compile(r"\b(?:not|never|nobody|nothing|none|without|except|and wh\w+ are)\b|n['’]t\b", re.IGNORECASE)
# What share of the question's words may be missing from every passage before "they do not say" is the answer.
_MISSING = 0.4


def answer(question: str, context: TurnContext) -> Steps[None]:
    """Says what the documents say: the sentences that answer, or that they do not."""
    if not context.documents and not context.passages:
        waiting = f"I am still reading {', '.join(context.being_read)}. Ask again in a moment."
        none = Say("This project has no design documents yet, so I cannot answer that from them.")
        yield Say(waiting, "not_done") if context.being_read else none
        return
    sources = [NumberedPassage.of(cited) for cited in context.passages]
    quotes = best_quotes(question, sources)
    if not quotes or quotes[0].term_share < _ANSWERED:
        known = {source.number for source in sources}
        sources += [one for one in (yield from search(_keywords(question))) if one.number not in known]
        quotes = best_quotes(question, sources)
    best = quotes[0].term_share if quotes else 0.0
    missing = _missing(question, sources)
    unlikely = context.relevance == "none" or len(missing) >= _MISSING * max(len(content_terms(question)), 1)
    if best < _NEAR or (best < _ANSWERED and unlikely):
        yield Say(_nothing(missing, bool(quotes)))
        return
    doubt = [] if best >= _ANSWERED and not _UNSURE.search(question) else ["I am not certain that this answers it:"]
    yield Say("\n\n".join([*doubt, *(_shown(question, quote) for quote in quotes)]))


def search(query: str, document: str | None = None) -> Steps[list[NumberedPassage]]:
    """Asks the documents once more, in other words."""
    found = (yield ToolCall("search_documents", {"query": query} | ({"document": document} if document else {}))) or {}
    return [
        NumberedPassage(one["number"], one["document"], tuple(one.get("heading") or ()), one["text"], 0.0)
        for one in found.get("passages", ())
    ]


def _missing(question: str, sources: Sequence[NumberedPassage]) -> list[str]:
    """The words of the question that no passage has at all."""
    known = frozenset[str]().union(*(content_terms(f"{one.text} {' '.join(one.heading)}") for one in sources))
    words = [
        word
        for word in re.findall(r"[^\W\d_][\w'’-]+", question)
        if content_terms(word) and not content_terms(word) & known
    ]
    return list(dict.fromkeys(words))


def _shown(question: str, quote: Quote) -> str:
    text = re.sub(r"^(?:[-*+•●○▪◦■□‣]|\d+[.)])\s+", "", quote.text).strip()
    cells = [cell.strip() for cell in text.strip("|").split("|")] if "\n" not in text else []
    text = " | ".join(cell for cell in cells if cell) if len(cells) > 1 else text
    above = quote.source.heading[-1] if quote.source.heading else ""
    needed = content_terms(question) & content_terms(above) - content_terms(text)
    return f"{above}: “{text}” [{quote.source.number}]" if needed else f"“{text}” [{quote.source.number}]"


def _nothing(missing: Sequence[str], is_near: bool) -> str:
    what = join([f"“{word}”" for word in missing], "or")
    told = f" The passages I looked at do not mention {what}." if missing else ""
    again = " Ask in the words that the documents use." if is_near or not missing else ""
    return f"The documents do not seem to answer that.{told}{again}"


def _keywords(question: str) -> str:
    words = [word for word in re.findall(r"[^\W_]+", question) if content_terms(word)]
    return " ".join(dict.fromkeys(words)) or question
