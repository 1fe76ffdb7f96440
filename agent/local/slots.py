"""Which output of a node a command means, by the words that tell the outputs from each other."""

from agent.local.parsing import Words, child, token
from agent.local.resolver import join
from agent.local.steps import NotDone
from arrow_project import Node, Story, fold

_YES = {"true": "true", "yes": "true", "false": "false", "no": "false"}
_COMPARED = 1_000  # characters
_INTERCHANGEABLE = frozenset({"randomizer", "sequencer"})


def output_of(story: Story, node: Node, way: Words | None) -> int | None:
    """The slot that a `way` names; None where there is no way.

    Raises:
        NotDone: There is no such slot, or no one such.
    """
    if way is None:
        return None
    if child(way, "slot") is not None:
        slot = int(token(way, "NUMBER"))
        if slot < len(node.outputs):
            return slot
        raise NotDone(f"{story.describe(node.id)} has {len(node.outputs)} outputs; slots count from 0.")
    said = _YES.get(token(way, "TRUE_OR_FALSE").casefold(), "") or token(way, "QUOTED")
    wanted, exact, beginning = fold(said[:_COMPARED]), list[int](), list[int]()
    for slot, name in enumerate(node.outputs):  # one at a time: a choice may have hundreds of thousands of characters
        folded = fold(name[:_COMPARED])
        if folded.startswith(wanted):
            (exact if folded == wanted else beginning).append(slot)
    found = exact or beginning
    if len(found) == 1:
        return found[0]
    raise NotDone(f"“{said}” is not one of the outputs of {story.describe(node.id)}; these are {_all(node)}.")


def free_output(story: Story, node: Node, *, or_only: bool = False) -> int:
    """The output from which nothing leads on; with `or_only` the only output, even where something does.

    Raises:
        NotDone: There is none, or several could be meant.
    """
    if not node.outputs:
        raise NotDone(f"Nothing can lead on from {story.describe(node.id)}: a {node.type} has no output.")
    free = story.free_outputs(node.id)
    if len(node.outputs) == 1 and (free or or_only):
        return 0
    if len(free) == 1 or (free and node.type in _INTERCHANGEABLE):
        return free[0]
    if not free:
        taken = join([f"{story.describe(link.to_id)}" for link in story.leaving(node.id)])
        raise NotDone(f"{story.describe(node.id)} leads on to {taken} already. Disconnect first, or name the output.")
    raise NotDone(f"{story.describe(node.id)} has several free outputs: {_all(node, free)}. Say which.")


def _all(node: Node, slots: list[int] | None = None) -> str:
    known = range(len(node.outputs)) if slots is None else slots
    return join([node.output_name(slot) or "its only one" for slot in known], "or") or "none"
