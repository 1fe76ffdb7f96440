"""A message as the commands that it consists of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.local.commands import RULES
from agent.local.paraphrase import in_known_words
from agent.local.phrase import Phrase, read_phrase
from agent.local.rule import Command

_SEPARATOR = re.compile(
    r"\s*(?:[.;,]\s*)?\b(?:and\s+)?then\b\s*,?\s+|\s*,?\s+and\s+(?=(?:add|create|connect|disconnect|delete|rename|set|make|change)\b)|\s*;\s*|\s*\n\s*(?:(?:\d+[.)]|[-*•])\s+)?|(?<=[.!])\s+",
    re.IGNORECASE,
)
# These end a text in any case; a full stop does so only before words that can be nothing but a command.
_FIRM = re.compile(r"[;\n]|then", re.IGNORECASE)
_POLITE = re.compile(
    r"(?:\s*(?:please|kindly|now|also|and|next|finally|first|ok(?:ay)?|hi|hello|hey|fletcher|let['’]?s"
    r"|(?:can|could|would|will)\s+you(?:\s+please)?|(?:i(?:['’]d| would)\s+like|i\s+want)\s+(?:you\s+)?to)\b[\s,]*)+",
    re.IGNORECASE,
)
_POLITE_END = re.compile(r"[\s,]*(?:\b(?:please|thanks|thank\s+you|for\s+me)\b)?\s*[.!?]*\s*$", re.IGNORECASE)
# What ends in a full stop without being a sentence: "00. Preface", "Mr. Osk".
_ORDINAL = re.compile(r"\b(?:\d+|mr|mrs|ms|dr|st)\.$", re.IGNORECASE)
_COURTESY = re.compile(r"(?:thanks?|thank\s+you|please|cheers|ok(?:ay)?|hello|hi|hey)\b.{0,20}", re.IGNORECASE)


@dataclass(frozen=True)
class Clause:
    """One part of a message.

    Attributes:
        words: As written.
        command: What it commands; None where it fits no rule.
        is_read: Whether `command` is made of all of `words`; a long text is read once, not after each of its lines.
    """

    words: Phrase
    command: Command | None
    is_read: bool = True

    def read_again(self) -> "Clause":
        """The clause with its command made of all of its words."""
        return self if self.is_read else Clause(self.words, read_command(self.words) or self.command)


def read_clauses(message: str) -> list[Clause]:
    """The message in parts: each is one command, or words that are none.

    A text that a command ends in may hold separators itself. So what follows a separator begins a new part only if
    it is a command of its own; otherwise it goes on with the text.
    """
    clauses: list[Clause] = []
    for mark, piece in _pieces(read_phrase(message)):
        command = read_command(piece)
        if clauses and command is not None:
            clauses[-1] = clauses[-1].read_again()
        if not clauses or not _goes_on(clauses[-1], command, mark):
            clauses.append(Clause(piece, command))
            continue
        previous = clauses[-1]
        joined = piece.part(previous.words.masked + mark + piece.masked)
        clauses[-1] = Clause(joined, previous.command or read_command(joined), is_read=False)
    clauses = [clause.read_again() for clause in clauses]
    return [
        clause for index, clause in enumerate(clauses) if clause.command or not _says_nothing(clause, clauses[index:])
    ]


def _says_nothing(clause: Clause, rest: list[Clause]) -> bool:
    """Whether it is politeness, or only announces what follows: "do this for me:"."""
    words = clause.words.masked.strip()
    return bool(_COURTESY.fullmatch(words.strip(" .!"))) or (words.endswith(":") and len(rest) > 1)


def read_command(words: Phrase) -> Command | None:
    """The command that these words are, the first rule that fits; None when none does."""
    polite = _POLITE.match(words.masked)
    plain = in_known_words(words.part(words.masked[polite.end() :] if polite else words.masked))
    command = _fit(plain.part(_POLITE_END.sub("", plain.masked)))
    # What looks like politeness or a full stop may be the end of a text to be written.
    return (_fit(plain) or command) if command and command.takes_more_text else command


def _fit(words: Phrase) -> Command | None:
    for candidate in RULES:
        if (found := words.match(candidate.pattern)) is not None:
            return Command(candidate, found)
    return None


def _goes_on(previous: Clause, command: Command | None, mark: str) -> bool:
    """Whether words after `mark` belong to what is before them: to the text of a command, or to half a command."""
    if command is None and _is_half(previous, mark):
        return True
    if previous.command is None or not previous.command.takes_more_text:
        return False
    return command is None or (command.rule.loose and not _FIRM.search(mark))


def _is_half(previous: Clause, mark: str) -> bool:
    """Whether a command was cut in the middle: after the colon of its text, or after the full stop of a name."""
    text = previous.words.masked.rstrip()
    if "\n" in mark:
        return False
    if previous.command is None and text.endswith(":"):
        return True
    return mark.isspace() and bool(_ORDINAL.search(text)) and (previous.command is None or previous.command.takes_name)


def _pieces(phrase: Phrase) -> Iterator[tuple[str, Phrase]]:
    """The words between separators, each with the separator before it."""
    start, mark = 0, ""
    for found in _SEPARATOR.finditer(phrase.masked):
        piece = phrase.part(phrase.masked[start : found.start()])
        if piece.is_empty:
            continue
        yield mark, piece
        start, mark = found.end(), found[0]
    rest = phrase.part(phrase.masked[start:])
    if not rest.is_empty:
        yield mark, rest
