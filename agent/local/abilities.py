"""What the planner can do, told with examples that fit the open project."""

from agent.local.context import PlanningContext
from agent.local.story import Story


def abilities(context: PlanningContext) -> str:
    """What can be asked for, with three examples."""
    story = Story(context.project) if context.project is not None else None
    examples = "\n".join(f"- {example}" for example in _examples(story, context))
    return (
        "I work without a language model, so I understand direct commands and questions. I can add, change, connect "
        "and delete nodes, scenes, variables and characters; answer questions about the project and from the design "
        f"documents; and build a scene from a dialogue in them. For example:\n{examples}"
    )


def _examples(story: Story | None, context: PlanningContext) -> tuple[str, str, str]:
    document = f" in {context.documents[0].name}" if context.documents else ""
    third = f"build a scene from the dialogue “…”{document}"
    if story is None:
        return (
            "what do the documents say about …?",
            "add a dialog by NAME: Hello there (once a project is open)",
            third,
        )
    speaker = next((one.name for one in story.characters.values()), "")
    last = max((node.id for node in story.nodes.values() if node.outputs), default=story.entry)
    add = (
        f"add a monolog by {speaker}: Hello there, after node {last}"
        if speaker
        else "create a character Elena (color blue)"
    )
    variable = next((one.name for one in story.variables.values() if one.type == "num"), "")
    check = f"add a condition {variable} >= 10" if variable else "create a variable gold = 10"
    return (add, check, third if context.documents else f"where is node {last} connected?")
