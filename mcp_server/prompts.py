"""What an assistant's user can begin with: prompts by their names."""

from collections.abc import Mapping
from dataclasses import dataclass

from mcp.types import GetPromptResult, PromptArgument, PromptMessage, TextContent
from mcp.types import Prompt as PromptDefinition

from mcp_server.tool import ToolError

_LONGEST = 20_000


@dataclass(frozen=True)
class _Prompt:
    """`text` has the arguments in braces; of those with a question mark in `arguments` a line may be left out."""

    description: str
    arguments: Mapping[str, str]
    text: str


_PROMPTS: Mapping[str, _Prompt] = {
    "ask_with_citations": _Prompt(
        "An answer from the design documents, with pages.",
        {"question": "what you want to know"},
        "Answer from the design documents of my project: {question}\n\nSearch with search_documents, more than once"
        " where one search is not enough, and read the pages around what you find. Look at page_picture where a "
        "page is a map, a table or a scan. Cite every fact as (document, p. N). Where the documents do not say "
        "it, say so, and where they contradict each other, show both places.",
    ),
    "scene_from_dialogue": _Prompt(
        "A dialogue of a document as a playable scene.",
        {"document": "the document with the dialogue", "which": "which dialogue, or pages"},
        "Make a scene of the story out of a dialogue in the document {document}: {which}\n\nRead it with "
        "read_document, and look at the outline first: use the characters and variables that exist. Make one list"
        " of operations for apply_operations: a scene, dialog and monolog nodes that say exactly what the "
        "document says, interaction nodes where it offers choices, all connected from the scene's entry on. Try "
        "it with dry_run, show me what would change, and apply it when I agree.",
    ),
    "check_scene": _Prompt(
        "What in a scene disagrees with the design documents.",
        {"scene": "name or id of the scene"},
        "Check the scene {scene} of my story against the design documents. Use check_continuity and check_story, "
        "read the scene with get_scene, and search the documents for every name, place, number and event in it. "
        "List what disagrees: node id, what it says, what the documents say (document, p. N), and how you would "
        "change it. Change nothing yet.",
    ),
    "revise_scene": _Prompt(
        "A scene changed as you wish, in keeping with the documents.",
        {"scene": "name or id of the scene", "wish": "what should be different"},
        "Revise the scene {scene} of my story: {wish}\n\nRead it with get_scene and get_node, and what the design "
        "documents say about who and what is in it. Keep ids, connections and the voices of the characters. Put "
        "the changes into one list for apply_operations, try it with dry_run and show me the diff; apply it when "
        "I agree. I can take it back with undo.",
    ),
}


def prompts() -> list[PromptDefinition]:
    """All of them."""
    return [
        PromptDefinition(
            name=name,
            description=prompt.description,
            arguments=[
                PromptArgument(name=argument, description=what, required=True)
                for argument, what in prompt.arguments.items()
            ],
        )
        for name, prompt in _PROMPTS.items()
    ]


def prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """One of them, with the user's words in it.

    Raises:
        ToolError: There is none of that name, or an argument is missing or unknown.
    """
    found = _PROMPTS.get(name)
    if found is None:
        raise ToolError("UNKNOWN_PROMPT", f"There is no prompt {name[:64]!r}. There are: {', '.join(_PROMPTS)}.")
    if set(arguments) != set(found.arguments) or any(len(text) > _LONGEST for text in arguments.values()):
        wanted = ", ".join(found.arguments)
        raise ToolError("INVALID_ARGUMENTS", f"{name} takes {wanted}, each of {_LONGEST} characters at most.")
    text = found.text.format_map(arguments)
    return GetPromptResult(
        description=found.description, messages=[PromptMessage(role="user", content=TextContent(text=text))]
    )
