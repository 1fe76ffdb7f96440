"""Commands and questions that can be said of the open story as they stand; what is suggested is one of them."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, count

from rapidfuzz import fuzz

from agent.local.parsing import is_question
from agent.turn.request import TurnContext
from arrow_project import Story, Variable, fold

_SHOWN = 5
_COMPARED = 200  # characters: twice as many take four times as long, and no other thread runs meanwhile
_BEFORE_VERB = re.compile(
    r"^\W*(?:(?:hey|hi|ok|okay|please|now|and|also|then|(?:can|could|would|will)\s+(?:you|u)|i\s+want\s+(?:you\s+)?to)\b\W*"
    r"|(?:after|before|between)\b(?:\s+(?:node\s+)?#?\d+|[^,:]*,)\W*)*"
)
_SYNONYMS = {
    "drop": "delete", "erase": "delete", "remove": "delete", "insert": "add", "put": "add", "write": "add",
    "set": "change", "edit": "change", "replace": "change", "build": "create", "make": "create", "new": "create",
    "have": "make", "let": "make", "link": "connect", "find": "which", "list": "which", "show": "which",
}  # fmt: skip


def examples(context: TurnContext) -> list[str]:
    """What would succeed on this story, the most useful first; a test runs each of them."""
    if context.project is None:
        return []
    story = Story(context.project)
    return [*_commands(story, context), *_questions(story)]


def nearest(message: str, context: TurnContext) -> str:
    """The example that is most like a message, of those that begin with its verb (or ask, as it does); else empty."""
    said = _BEFORE_VERB.sub("", message.casefold(), count=1)
    verb = said.split()[0].strip(":,.?!") if said.split() else ""
    known = [one for one in examples(context) if one.split()[0] in (verb, _SYNONYMS.get(verb))]
    known = known or [one for one in examples(context) if one.endswith("?") and is_question(message)]
    return max(known, key=lambda one: fuzz.token_sort_ratio(said[:_COMPARED], one.casefold()[:_COMPARED]), default="")


def abilities(context: TurnContext) -> str:
    """What can be asked for, with examples."""
    shown = "\n".join(f"- {one}" for one in examples(context)[:_SHOWN])
    for_example = f" For example:\n{shown}\n" if shown else " "
    return (
        "I work without a language model. I answer questions from the design documents and about the story, check a "
        "scene against the documents, build a scene from a dialogue in them, and understand a closed list of commands: "
        f"I can add, change, connect and delete nodes, scenes, variables and characters.{for_example}"
        f"All forms: docs/local.md. {WHO_DOES}"
    )


WHO_DOES = "Free words are for a language model (FLETCHER_MODEL and its key) or an assistant of your own, over MCP."
"""What does understand a message that no form takes."""


def _commands(story: Story, context: TurnContext) -> Iterator[str]:
    places = [node for node in story.nodes.values() if len(node.outputs) == 1 and node.type != "macro_use"]
    here = [node for node in places if node.scene_id == context.scene_id] or places
    selected = [story.nodes[key] for key in context.selected_node_ids if key in story.nodes]
    loose = [node for node in here if story.free_outputs(node.id)]
    can_go_on = {node.id for node in places}
    ends = [node for node in selected if node.id in can_go_on] or loose or here
    for node in ends[-1:]:
        for character in list(story.characters.values())[:1]:
            yield f'add a dialog by "{character.name}" after node {node.id}: Hello there.'
            yield f'make "{character.name}" say "Hello there." after node {node.id}'
        yield f"add a content after node {node.id}: The bell rings."
        yield f"add a choice after node {node.id}: Go in / Walk away"
        for variable in _numbers(story):
            yield f'add a condition "{variable.name}" >= 10 after node {node.id}'
            yield f'add 1 to "{variable.name}" after node {node.id}'
    yield f"create a variable {_new('gold', (one.name for one in story.variables.values()))} = 10"
    yield f'create a character "{_new("Elena", (one.name for one in story.characters.values()))}" with color blue'
    yield f'create a scene "{_new("The Quay", (one.name for one in story.scenes.values()))}"'
    known = (*selected, *reversed(ends), *here, *story.nodes.values())
    for node in [one for one in known if one.type in ("content", "monolog") and one.texts][:1]:
        yield f'change the text of node {node.id} to "The bell rings."'
    for node in ends[-1:]:
        yield f"rename node {node.id} to {_new('last_words', (one.name for one in story.nodes.values()))}"
        yield f"add a note to node {node.id}: to be written"
        for other in [one for one in here if one.inputs and one is not node and story.free_outputs(node.id)][:1]:
            yield f"connect {node.id} to {other.id}"
    entries = {story.entry, *(scene.entry for scene in story.scenes.values())}
    for node in [one for one in known if one.id not in entries][:1]:
        yield f"delete node {node.id}"
    for link in story.links[:1]:
        yield f"disconnect {link.from_id} from {link.to_id} from slot {link.from_slot}"


def _questions(story: Story) -> Iterator[str]:
    yield "which nodes are dead ends?"
    yield "which nodes are unreachable?"
    for character in list(story.characters.values())[:1]:
        yield f'where does "{character.name}" speak?'
    for variable in _numbers(story):
        yield f'what raises "{variable.name}"?'
    for link in story.links[:1]:
        yield f"what follows node {link.from_id}?"
    yield "check the story"


def _numbers(story: Story) -> list[Variable]:
    return [one for one in story.variables.values() if one.type == "num"][:1]


def _new(name: str, taken: Iterable[str]) -> str:
    known = {fold(one) for one in taken}
    numbered = (f"{name}_{number}" for number in count(2))
    return next(one for one in chain([name], numbered) if fold(one) not in known)
