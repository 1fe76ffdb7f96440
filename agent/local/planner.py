"""A message to the planner without weights: commands, questions, a check, or a scene from a dialogue."""

import json
import re
from collections.abc import Mapping, Sequence

from agent.local.answers import answer
from agent.local.commands import carry_out, may_share_a_place
from agent.local.dialogue_import import from_documents, from_message
from agent.local.draft import Draft, Incomplete
from agent.local.examples import WHO_DOES, abilities, nearest
from agent.local.parsing import NotUnderstood, Words, child, hides_a_command, is_question, read_commands, read_question
from agent.local.resolver import Resolver
from agent.local.steps import NotDone, Say, Steps, ToolCall, WordsMissing
from agent.local.story_questions import answer_from_story
from agent.turn.request import TurnContext
from arrow_project import OPERATIONS, Operation, Story, changed_ids, check, renumbered

_SLASH = re.compile(r"\s*/(?P<name>[A-Za-z_]\w*)\s*(?P<arguments>.*)", re.DOTALL)
_HELP = re.compile(
    r"(?i)(?:help(?: me)?|examples?|what can (?:you|i) (?:do|say|ask)|how does this work|hi|hello|thank(?:s| you))\W*"
)
# "Don't delete node 29": whatever follows is not to be done.
_NOTHING = re.compile(r"\s*(?:please\s+)?(?:don['’]?t|do\s+not|never\s*mind|forget\s+it)\b", re.IGNORECASE)
_ABOUT_STORY = re.compile(r"(?i)\b(?:(?:node|(?:dead|loose|open) end|variable|macro|connection|slot)s?|unreachable)\b")
_FINDINGS = 20
# How a form begins; of what begins otherwise nothing is understood.
_VERB = re.compile(
    r"(?i)\W*(?:(?:please|now|after|before|between|(?:can|could|would|will)\s+you)\b\W*)*(?:add|build|change|check|compare"
    r"|connect|create|decrease|declare|delete|disconnect|divide|give|have|increase|insert|let|link|lower|make|multiply|new|put|raise|reduce"
    r"|remove|rename|replace|set|subtract|turn|verify|write)\b"
)
_ALONE = ("scene_from", "scene_of_lines", "check_scene", "check_story")
_ONE_ONLY = "A scene from a dialogue, and a check, stand in a message of their own."


def plan(message: str, context: TurnContext) -> Steps[None]:
    """What to say and to call for a message.

    Args:
        message: The user's words.
        context: The running turn; its project shows every change as soon as its call has been answered.

    Yields:
        `Say` and `ToolCall` steps; after a `ToolCall` the caller sends what the tool answered, which is
        `{"error": {"code", "message"}}` when it refused.

    Raises:
        WordsMissing: The message is one command that lacks only its words.
    """
    if slash := _SLASH.fullmatch(message):  # one that is a function, and readable, never gets here
        yield Say(_not_run(slash["name"], slash["arguments"]), "not_done")
    elif _NOTHING.match(message):
        yield Say("Nothing was changed.")
    elif _HELP.fullmatch(message.strip()):
        yield Say(abilities(context))
    else:
        commands = read_commands(message)
        if not isinstance(commands, NotUnderstood):
            yield from _run(commands, message.strip(), context)
        elif is_question(message):
            yield from _answer(message, context)
        else:
            yield Say(_not_understood(message, commands, context), "not_done")


def needs_passages(message: str) -> bool:
    """Whether the plan for a message may begin with passages: a question's, or a dialogue's to make a scene from."""
    commands = read_commands(message)
    return is_question(message) if isinstance(commands, NotUnderstood) else commands[0].data == "scene_from"


def is_command(message: str) -> bool:
    """Whether the planner takes the message for something to be done, and not for words that it has asked for."""
    understood = not isinstance(read_commands(message), NotUnderstood)
    return understood or _NOTHING.match(message) is not None or hides_a_command(f" {message}")


def _run(commands: tuple[Words, ...], text: str, context: TurnContext) -> Steps[None]:
    """All of the commands of a text, or none."""
    try:
        if commands[0].data in _ALONE:
            yield from _alone(commands, context)
            return
        if may_share_a_place(text, commands):
            raise NotDone("Two new nodes are joined by “and” or “then”, and only one has a place. Say where each goes.")
        draft = Draft(context)
        for place, words in enumerate(commands, start=1):
            _draft(draft, words, f"Command {place} of {len(commands)}: " if len(commands) > 1 else "")
        yield from _carried_out(draft, context)
    except Incomplete as asked:
        yield ToolCall(asked.operation.function, dict(asked.operation.arguments))
    except WordsMissing:
        raise
    except NotDone as problem:
        told = f"Not done: {problem} Nothing was changed." if context.project else f"Not done: {problem}"
        yield Say(told, "not_done")


def _draft(draft: Draft, words: Words, which: str) -> None:
    """One command on the draft; of several none may lack something."""
    try:
        if words.data in _ALONE:
            raise NotDone(_ONE_ONLY)
        carry_out(draft, words)
    except NotDone as problem:
        if not which:
            raise
        raise NotDone(f"{which}{problem}") from problem


def _carried_out(draft: Draft, context: TurnContext) -> Steps[None]:
    """The operations of a draft, with the ids that the editor gives in place of the expected ones."""
    ids: dict[int, int] = {}
    remarks: list[str] = []
    context.planned = tuple(operation for operation, _ in draft.done)
    for place, (operation, expected) in enumerate(draft.done):
        asked = renumbered(operation, ids)
        given = (yield ToolCall(asked.function, dict(asked.arguments))) or {}
        if "error" in given:
            yield Say(_stopped(operation, given["error"], place, len(draft.done)), "not_done")
            return
        ids |= changed_ids(expected, given)
        remarks += [str(remark) for remark in given.get("remarks", ())]
    changed = {str(old): str(new) for old, new in ids.items()}
    sentences = [re.sub(r"\b\d+\b", lambda found: changed.get(found[0], found[0]), told) for told in draft.told]
    yield Say(" ".join([*sentences, *remarks]), "done")


def _stopped(operation: Operation, error: Mapping[str, str], place: int, count: int) -> str:
    done = f" {place} of {count} steps before it were done; “undo” takes them back." if place else ""
    return f"Not done: {operation.function.replace('_', ' ')}: {error['message']} ({error['code']}){done}"


def _alone(commands: Sequence[Words], context: TurnContext) -> Steps[None]:
    """What takes the documents: a scene from a dialogue, a check."""
    if len(commands) > 1:
        raise NotDone(_ONE_ONLY)
    words, draft = commands[0], Draft(context)
    if words.data == "check_story":
        yield Say(_checked(context))
    elif words.data == "check_scene":
        scene = draft.refer.scene(child(words, "scene_ref", "ref") or words)
        found = (yield ToolCall("check_continuity", {"scene_id": scene.id})) or {}
        if "error" in found:
            raise NotDone(str(found["error"]["message"]))
        yield Say(str(found.get("text", "")))
    else:
        is_from_message = words.data == "scene_of_lines"
        yield from from_message(draft, words) if is_from_message else from_documents(draft, words, context)
        yield from _carried_out(draft, context)


def _checked(context: TurnContext) -> str:
    assert context.project is not None
    findings = [f"- {one.place}: {one.message}" for one in check(context.project, context.go_on)]
    more = [f"- … and {len(findings) - _FINDINGS} more"] if len(findings) > _FINDINGS else []
    title = f"The check finds {len(findings)}:" if findings else "The check finds nothing."
    return "\n".join([title, *findings[:_FINDINGS], *more])


def _answer(message: str, context: TurnContext) -> Steps[None]:
    """From the story where the question is one of its forms and names what is there; else from the documents."""
    words, problem = read_question(message), ""
    if context.project is not None and not isinstance(words, NotUnderstood):
        try:
            refer = Resolver(Story(context.project), context.scene_id, context.selected_node_ids, None)
            yield Say(answer_from_story(words, refer))
            return
        except NotDone as error:
            problem = str(error)
    if _ABOUT_STORY.search(message):
        example = nearest(message, context)
        hint = f" I understand “{example}”." if example else ""
        yield Say(problem or f"I do not understand that question about the story.{hint} {WHO_DOES}", "not_done")
        return
    yield from answer(message, context)


def _not_understood(message: str, found: NotUnderstood, context: TurnContext) -> str:
    rest = (found.rest if _VERB.match(message) else "") or message.strip()
    example = nearest(message, context)
    form = f" The nearest form that I know is “{example}”." if example else ""
    return f"I did not understand “{rest[:200]}”. Nothing was changed.{form} {WHO_DOES}"


def _not_run(name: str, written: str) -> str:
    try:
        json.loads(written or "{}")
    except (ValueError, RecursionError) as error:
        if name in OPERATIONS or written.startswith("{"):
            return f"Not done: what follows /{name} is no JSON object: {error}. Or say it as /{name} name=value, …"
    return f"Not done: there is no function “{name}”. The functions are: {', '.join(sorted(OPERATIONS))}."
