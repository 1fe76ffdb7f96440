"""Which output slot of a node a command means, and whether it is free."""

import re

from agent.local.names import fold, join
from agent.local.phrase import Phrase
from agent.local.steps import NotDone
from agent.local.story import Node, Story, shorten

_TRUE = frozenset({"true", "yes", "match", "matched", "pass", "success"})
_FALSE = frozenset({"false", "no", "else", "no match", "otherwise", "fail", "failure"})
_INTERCHANGEABLE = frozenset({"randomizer", "sequencer"})


def output_slot(story: Story, node: Node, slot: Phrase | None, branch: Phrase | None) -> int:
    """The slot that was named, or the one that is free where only one can be meant.

    Raises:
        NotDone: There is no such slot, it is taken, or several could be meant.
    """
    if not node.outputs:
        raise NotDone(f"Nothing can lead on from {story.describe(node.id)}: a {node.type} has no output.")
    chosen = _named_slot(story, node, slot, branch)
    taken = {link.from_slot: link.to_id for link in story.leaving(node.id)}
    if chosen is None:
        chosen = _free_slot(story, node, taken)
    if chosen in taken:
        target = taken[chosen]
        raise NotDone(
            f"{story.describe(node.id)} already leads{describe_slot(node, chosen)} "
            f"to {story.describe(target)}. Say “disconnect {node.id} from {target}” first; "
            f"a new node goes in the middle with “between {node.id} and {target}”."
        )
    return chosen


def describe_slot(node: Node, slot: int) -> str:
    """How a sentence names an output: empty where there is only one."""
    return f" on {_slot_name(node, slot)}" if len(node.outputs) > 1 else ""


def _named_slot(story: Story, node: Node, slot: Phrase | None, branch: Phrase | None) -> int | None:
    if slot is not None:
        number = re.search(r"\d{1,6}", slot.masked)
        if number is None:
            raise NotDone(f"“{slot.text}” is no slot; slots are numbers from 0.")
        return _checked(story, node, int(number[0]))
    return None if branch is None else _branch(story, node, branch)


def _branch(story: Story, node: Node, branch: Phrase) -> int:
    """By what the output says: true or false, a choice's words, or the choice's place counted from 1."""
    words = fold(branch.text)
    if len(node.outputs) == 2 and node.outputs[0] == "true" and words in _TRUE | _FALSE:
        return 0 if words in _TRUE else 1
    names = [fold(name) for name in node.outputs]
    exact = [index for index, name in enumerate(names) if name == words]
    found = exact or [index for index, name in enumerate(names) if words and words in name]
    if len(found) == 1:
        return found[0]
    if words.isdecimal() and not branch.is_quoted and len(words) < 7:
        return _checked(story, node, int(words) - 1)
    choices = ", ".join(_slot_name(node, index) for index in range(len(node.outputs)))
    raise NotDone(f"“{branch.text}” is not one of the outputs of {story.describe(node.id)}; these are {choices}.")


def _checked(story: Story, node: Node, slot: int) -> int:
    if 0 <= slot < len(node.outputs):
        return slot
    count = len(node.outputs)
    slots = "only slot 0" if count == 1 else f"slots 0 to {count - 1}"
    raise NotDone(f"{story.describe(node.id)} has {slots}.")


def _free_slot(story: Story, node: Node, taken: dict[int, int]) -> int:
    free = [slot for slot in range(len(node.outputs)) if slot not in taken]
    if not free or len(node.outputs) == 1:
        return 0
    if len(free) == 1 or node.type in _INTERCHANGEABLE:
        return free[0]
    choices = join([_slot_name(node, slot) for slot in free], "or")
    raise NotDone(
        f"{story.describe(node.id)} has several free outputs: {choices}. Say which, such as “from slot {free[0]}”."
    )


def _slot_name(node: Node, slot: int) -> str:
    name = node.outputs[slot] if slot < len(node.outputs) else ""
    if node.outputs[:1] == ("true",):
        return f"{name} (slot {slot})"
    return f"slot {slot} “{shorten(name, 30)}”" if name else f"slot {slot}"
