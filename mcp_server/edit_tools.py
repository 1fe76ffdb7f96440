"""The tools that change a story: operations as a list, undo, and the user's answer to a question."""

import json
import shlex
from functools import cache
from typing import Any, cast

from mcp.types import InputRequiredResult

from agent import in_thread, inert, quoted_lines, read_reply
from arrow_project import OPERATIONS, Operation, shorten
from corpora import printable
from ingest import counted
from mcp_server.questions import Decision, ask, can_ask, carried_answer
from mcp_server.stories import EditableStory, Work
from mcp_server.story_argument import ABOUT, story_of
from mcp_server.tool import CHANGES, AssistantCall, Tool, ToolAnswer, ToolError, closed

_MOST_OPERATIONS = 200
_LONGEST_DOING = 300
_ASSISTANT = "An assistant"

_THROUGH_YOU = (
    "Show this to the user and wait for the answer. Then call confirm with this id and the words that the user said, "
    "never with your own."
)
_DRY_RUN = {"type": "boolean", "default": False, "description": "only tell what would change"}


def _assistant(call: AssistantCall) -> str:
    """What the user knows the client by."""
    params = call.context.session.client_params
    name = (params.client_info.title or params.client_info.name) if params else ""
    return inert(shorten(name, 80)) or _ASSISTANT


async def _apply(call: AssistantCall) -> ToolAnswer | InputRequiredResult:
    given = call.arguments["operations"]
    return await _operate(call, [Operation(one["function"], one.get("arguments", {})) for one in given])


async def _apply_one(call: AssistantCall) -> ToolAnswer | InputRequiredResult:
    arguments = {name: value for name, value in call.arguments.items() if name not in ("dry_run", *ABOUT)}
    return await _operate(call, [Operation(call.params.name, arguments)])


async def _operate(call: AssistantCall, operations: list[Operation]) -> ToolAnswer | InputRequiredResult:
    story = await story_of(call)
    if (carried := carried_answer(call)) is not None:
        return await _answered(call, story, *carried)
    names = ", ".join(dict.fromkeys(operation.function for operation in operations))
    doing = f"{counted(len(operations), 'operation')}: {names}"[:_LONGEST_DOING]
    is_plan = bool(call.arguments.get("dry_run"))
    answer = await story.work(Work(_assistant(call), doing, tuple(operations), is_plan=is_plan))
    return await (in_thread(_planned, story, answer) if is_plan else _asked_or_done(call, story, answer))


async def _undo(call: AssistantCall) -> ToolAnswer | InputRequiredResult:
    story = await story_of(call)
    if (carried := carried_answer(call)) is not None:
        return await _answered(call, story, *carried)
    return await _asked_or_done(call, story, await story.work(Work(_assistant(call), "undo", function="undo")))


async def _asked_or_done(
    call: AssistantCall, story: EditableStory, answer: dict[str, Any]
) -> ToolAnswer | InputRequiredResult:
    """What was done; where the user has to be asked first, the user's answer comes first."""
    question = answer["question"]
    if question is None:
        return await in_thread(_done, story, answer)
    if not can_ask(call.context):
        return await in_thread(_question, story, question)
    decision = await ask(call, question["pending_id"], question["text"])
    if isinstance(decision, InputRequiredResult):
        return decision
    return await _answered(call, story, question["pending_id"], decision)


async def _answered(
    call: AssistantCall, story: EditableStory, pending_id: str, decision: Decision | None, *, is_brought: bool = False
) -> ToolAnswer | InputRequiredResult:
    if decision is None:
        raise ToolError(
            "NOT_ANSWERED",
            f"The user has closed the question {pending_id} without an answer; nothing was done. Ask what is wanted.",
        )
    doing, brings_yes = f"the user has said {decision}", is_brought and decision == "yes"
    work = Work(_assistant(call), doing, message=decision, pending_id=pending_id, brings_yes=brings_yes)
    return await _asked_or_done(call, story, await story.work(work))


async def _confirm(call: AssistantCall) -> ToolAnswer | InputRequiredResult:
    story, words = await story_of(call), call.arguments["words"]
    reply = read_reply(words)
    if reply is None:
        raise ToolError(
            "NOT_AN_ANSWER",
            "The words are neither a plain yes nor a plain no, and nothing was done. Give the user's own words; for "
            "something else, call apply_operations again.",
        )
    if reply == "yes" and story.confirm == "always":
        raise ToolError("USER_NEEDED", _by_the_user(story, call.arguments["id"]))
    return await _answered(call, story, call.arguments["id"], reply, is_brought=True)


def _question(story: EditableStory, question: dict[str, Any]) -> ToolAnswer:
    pending_id = question["pending_id"]
    how = _by_the_user(story, pending_id) if story.confirm == "always" else _THROUGH_YOU
    fields = {"status": "question", "story": story.name, "id": pending_id, "question": question["text"], "how": how}
    # What to do comes first, as a long question is cut.
    return ToolAnswer(fields, f"Nothing was done yet. Question {pending_id}. {how}\n{quoted_lines(question['text'])}")


def _by_the_user(story: EditableStory, pending_id: str) -> str:
    file = shlex.quote(printable(story.name))  # whoever has named it may be somebody else
    return (
        "Every change has to be agreed to by the user, and an assistant cannot bring the answer. The user "
        f"answers in the Fletcher panel where the story is open there, else in a terminal: fletcher chat {file} "
        f"--project {story.key.project_id} --pending {pending_id} -m yes"
    )


def _planned(story: EditableStory, answer: dict[str, Any]) -> ToolAnswer:
    fields = {
        "status": "planned",
        "story": story.name,
        "diff": inert(answer["diff"]),
        "operations": _became(answer),
    }
    shown = quoted_lines(answer["diff"]) if answer["diff"] else "Nothing would change."
    return ToolAnswer(fields, f"Nothing was done. This would change:\n{shown}")


def _done(story: EditableStory, answer: dict[str, Any]) -> ToolAnswer:
    operations = _became(answer)
    fields = {
        "status": "done" if answer["changed"] else "unchanged",
        "story": story.name,
        "changed": answer["changed"],
        "operations": operations,
        "diff": inert(answer["diff"]),
        "said": inert(answer["text"]),
    }
    results = [
        f"{one['function']}: {json.dumps(one['result'] if one['success'] else one['error'], ensure_ascii=False)}"
        for one in operations
    ]
    parts = [quoted_lines("\n".join(results)) if results else "", quoted_lines(answer["diff"] or answer["text"])]
    return ToolAnswer(fields, "\n".join([f"{fields['status']} in {printable(story.name)}", *filter(None, parts)]))


def _became(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """What each operation came to: who has called knows the arguments, and an undo's changes are the differences."""
    told = ("function", "success", "result", "error")
    return [
        {name: one[name] for name in told} | ({"result": None} if one["function"] == "undo" else {})
        for one in answer["operations"]
    ]


@cache
def _signatures() -> str:
    """Every operation in a line or some: what it takes and what it does."""
    return "\n".join(f"{name}({_parameters(spec.parameters)}): {spec.description}" for name, spec in OPERATIONS.items())


def _parameters(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    return ", ".join(name if name in required else f"{name}?" for name in schema["properties"])


@cache
def _node_data() -> str:
    preset = cast("dict[str, Any]", OPERATIONS["create_insert_node"].parameters["properties"]["preset"])
    return str(preset["description"])


async def _describe(call: AssistantCall) -> ToolAnswer:
    name = call.arguments["function"]
    spec = OPERATIONS[name]
    fields = {"function": name, "description": spec.description, "parameters": spec.parameters}
    return ToolAnswer(fields, quotes=False)


_APPLY = (
    "Change the story: a list of operations, done in order, all or none. What the user has to agree to comes back as a "
    "question. Ids come from outline or from results; last_created is the node made last, created_1 what the first "
    "operation of this list makes. Operations (describe_operation has the fields' types):\n"
)

EDIT_TOOLS = (
    Tool(
        "apply_operations",
        f"{_APPLY}{_signatures()}\npreset and data: {_node_data()}",
        closed(
            {
                "operations": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": _MOST_OPERATIONS,
                    "items": closed(
                        {"function": {"type": "string", "enum": list(OPERATIONS)}, "arguments": {"type": "object"}},
                        "function",
                    ),
                },
                "dry_run": _DRY_RUN,
                **ABOUT,
            },
            "operations",
        ),
        _apply,
        CHANGES,
    ),
    Tool(
        "describe_operation",
        "The JSON schema of one operation's arguments.",
        closed({"function": {"type": "string", "enum": list(OPERATIONS)}}, "function"),
        _describe,
    ),
    Tool("undo", "Take the last change back, whole; again: the one before it.", closed(ABOUT), _undo, CHANGES),
    Tool(
        "confirm",
        "Answer a question that came back from a change, with the words that the user has said: a yes or a no.",
        closed(
            {
                "id": {"type": "string", "maxLength": 200},
                "words": {"type": "string", "maxLength": 2000, "description": "what the user said, word for word"},
                **ABOUT,
            },
            "id",
            "words",
        ),
        _confirm,
        CHANGES,
    ),
)

OPERATION_TOOLS = tuple(
    Tool(
        name,
        spec.description,
        spec.parameters
        | {
            "properties": spec.parameters["properties"] | {"dry_run": _DRY_RUN, **ABOUT},
            "additionalProperties": False,
        },
        _apply_one,
        CHANGES,
    )
    for name, spec in OPERATIONS.items()
)
