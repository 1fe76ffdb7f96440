"""A message to the planner without weights: commands, questions, or a scene from a dialogue."""

import json
import re

from agent.local.abilities import abilities
from agent.local.answers import answer
from agent.local.context import PlanningContext
from agent.local.desk import Desk
from agent.local.facts import known_by_name, project_answer
from agent.local.grammar import Clause, read_clauses
from agent.local.steps import NotDone, Say, Steps, WordsMissing
from agent.local.story import Story
from arrow_project import OPERATIONS

_SLASH = re.compile(r"\s*/(?P<name>[A-Za-z_]\w*)\s*(?P<arguments>.*)", re.DOTALL)

_HELP = re.compile(
    r"(?:help(?: me)?|examples?|what can (?:you|i) (?:do|say|ask)|how does this work)[?.! ]*", re.IGNORECASE
)
# "Don't delete node 29": whatever follows is not to be done.
_NOTHING = re.compile(r"\s*(?:please\s+)?(?:don['’]?t|do\s+not|never\s*mind|forget\s+it)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"\?|^\s*(?:please\s+|and\s+|so\s+)*(?:who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|has|have|had|"
    r"should|would|will|tell\s+me|explain|describe|summari[sz]e|remind\s+me|look\s+up|search|find|quote|what['’]s|who['’]s)\b",
    re.IGNORECASE,
)


def plan(message: str, context: PlanningContext) -> Steps[None]:
    """What to say and to call for a message.

    Args:
        message: The user's words.
        context: The running turn; its project shows every change as soon as its call has been answered.

    Yields:
        `Say` and `Call` steps; after a `Call` the caller sends what the tool answered, which is
        `{"error": {"code", "message"}}` when it refused.

    Raises:
        WordsMissing: The message is one command that lacks only its words.
    """
    if slash := _SLASH.fullmatch(message):  # one that is a function, and readable, never gets here
        yield Say(_not_run(slash["name"], slash["arguments"]))
        return
    if _NOTHING.match(message):
        yield Say("Nothing was changed.")
        return
    clauses = read_clauses(message)
    if not clauses and message.strip():
        yield Say(f"At your service. {abilities(context)}")
    elif any(clause.command for clause in clauses):
        desk = Desk(context)
        for clause in clauses:
            yield from _run_clause(desk, clause, is_all=len(clauses) == 1)
    elif not (yield from _answer(message, context)):
        yield Say(f"I did not understand that. {abilities(context)}")


def is_command(message: str) -> bool:
    """Whether the planner would do something for the message."""
    return _NOTHING.match(message) is not None or any(clause.command for clause in read_clauses(message))


def _run_clause(desk: Desk, clause: Clause, *, is_all: bool) -> Steps[None]:
    if clause.command is None:
        if not (yield from _answer(clause.words.raw, desk.context)):
            yield Say(f"Not done: I did not understand “{clause.words.text}”.")
        return
    try:
        told = yield from clause.command.run(desk)
    except WordsMissing as missing:
        if is_all:
            raise
        told = f"Not done: “{clause.words.text}”. {missing}"
    except NotDone as problem:
        told = f"Not done: “{clause.words.text}”. {problem}"
    yield Say(" ".join((told, *desk.remarks)))
    desk.remarks.clear()


def _answer(words: str, context: PlanningContext) -> Steps[bool]:
    """Answers from the project or the documents; ends with whether the words are a question at all."""
    if _HELP.fullmatch(words.strip()):
        yield Say(abilities(context))
        return True
    if context.project is not None:
        desk = Desk(context)
        try:
            told = project_answer(words, desk.references())
        except NotDone as problem:
            told = str(problem)
        if told is not None:
            yield Say(told)
            return True
    if not _QUESTION.search(words):
        return False
    if not (yield from answer(words, context)) and context.project is not None:
        known = known_by_name(words, Story(context.project))
        if known is not None:
            yield Say(known)
    return True


def _not_run(name: str, written: str) -> str:
    try:
        json.loads(written or "{}")
    except (ValueError, RecursionError) as error:
        if name in OPERATIONS or written.startswith("{"):
            return f"Not done: what follows /{name} is no JSON object: {error}. Or say it as /{name} name=value, …"
    return f"Not done: there is no function “{name}”. The functions are: {', '.join(sorted(OPERATIONS))}."
