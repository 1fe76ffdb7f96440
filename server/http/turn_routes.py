"""One turn over HTTP: the story comes with the request and goes back changed."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Depends, Request, Response
from fastapi import Body as Sent
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, BeforeValidator, FailFast, Field, model_validator

from agent import (
    Asked,
    Citation,
    Cited,
    ConfirmationPolicy,
    Ended,
    Event,
    EventSink,
    Exchange,
    Failed,
    Failure,
    InMemoryEditor,
    LocalPlanner,
    OperationFinished,
    Suggested,
    Suggestion,
    TextFinished,
    TurnRequest,
    Usage,
    in_thread,
    in_thread_if_large,
)
from arrow_project import ArrowProject, Loss, Operation, ParseError, diff, parse
from corpora import ProjectKey
from server.http.answers import TurnAnswer
from server.http.connected import while_connected
from server.http.dependencies import RequestError, get_services, project_key
from server.http.description import name_of
from server.http.event_stream import EVENT_STREAM, operation_entry, streamed
from server.http.examples import TURNS
from server.http.json_route import Body, JsonRoute
from server.http.refusals import OF_A_BODY, OF_A_MODEL, OF_A_PROJECT, OF_A_SEARCH, refusals, status_of
from server.json_text import write_long
from server.limits.story_size import size_once_read
from server.limits.turn_room import StoryAtWork
from server.limits.written import MAX_SELECTED, Name, Parameters, Words, last_exchanges, latest, may_be_id
from server.services import CatalogPendings, Services, policy_for

# What fails a turn and is not said otherwise is the model's side.
_OF_THE_MODEL = 502

_OF_A_CHAT_SERVICE = frozenset(
    {"be_function", "user_id", "type", "project_id", "character_id", "act_id", "chat_session_id"}
)

router = APIRouter(
    prefix="/projects/{project_id}", tags=["turns"], route_class=JsonRoute, generate_unique_id_function=name_of
)


def _whole(value: Any) -> Any:
    """Numbers of some clients are all floats; a text is none, though pydantic would read it."""
    if isinstance(value, str | bool):
        raise ValueError("it must be a whole number")
    return value


WholeNumber = Annotated[
    int, AfterValidator(lambda number: number if may_be_id(number) else -1), BeforeValidator(_whole)
]


class HistoryEntry(BaseModel):
    """One earlier message and its answer."""

    message: str = ""
    output: str = ""


# JSON Schema has no name for it; clients that do not know the format take it for any text.
_ARROW: dict[str, Any] = {"format": "arrow", "contentMediaType": "application/json"}


class TurnBody(Body):
    """One turn; everything but `arrow_content` may be left out.

    `pending_id` names the question that `message` answers; `function` is an operation to run without a model.
    """

    arrow_content: Annotated[str, Field(description="The whole .arrow file", json_schema_extra=_ARROW)]
    message: Words = ""
    history: Annotated[list[HistoryEntry], FailFast(), BeforeValidator(last_exchanges)] = Field(
        default_factory=list[HistoryEntry]
    )
    selected_node_ids: Annotated[list[WholeNumber], FailFast(), Field(max_length=MAX_SELECTED)] = Field(
        default_factory=list[int]
    )
    current_scene_id: WholeNumber | None = None
    mode: Literal["apply", "plan"] = "apply"
    confirm: ConfirmationPolicy | None = None
    pending_id: Name | None = None
    function: Name | None = None
    function_params: Parameters = Field(default_factory=dict[str, Any])

    @model_validator(mode="before")
    @classmethod
    def _as_a_chat_service_has_it(cls, value: Any) -> Any:
        """`be_function` is `function`, and what only a chat service needs is left out."""
        if not isinstance(value, dict):
            return value
        fields = cast("dict[str, Any]", value)
        known = {name: field for name, field in fields.items() if name not in _OF_A_CHAT_SERVICE}
        named = {"function": fields["be_function"]} if "be_function" in fields else {}
        return named | known


@dataclass
class TurnReport:
    """What a turn said and did, gathered from its events."""

    texts: list[str] = field(default_factory=list[str])
    citations: Sequence[Citation] = ()
    operations: list[OperationFinished] = field(default_factory=list[OperationFinished])
    question: Asked | None = None
    suggestions: Sequence[Suggestion] = ()
    usage: Usage = field(default_factory=Usage)
    failure: Failure | None = None
    not_done: list[str] = field(default_factory=list[str])

    def add(self, event: Event) -> None:
        """Takes one event in."""
        match event:
            case TextFinished(text=text, not_done=not_done):
                self.texts.append(text)
                self.not_done += [text] if not_done else []
            case Failed(failure=failure):
                self.failure = failure
                self.texts.append(f"{failure.code}: {failure.message}")
            case Cited(citations=citations):
                self.citations = citations
            case OperationFinished():
                self.operations.append(event)
            case Asked():
                self.question = event
            case Suggested(suggestions=suggestions):
                self.suggestions = suggestions
            case Ended(usage=usage):
                self.usage = usage
            case _:
                pass

    @property
    def planned(self) -> str:
        """What a plan would change; empty when the turn was none."""
        return self.question.diff if self.question is not None and self.question.kind == "plan" else ""

    def as_dict(self) -> dict[str, Any]:
        """The fields of the answer that come from the turn itself."""
        return {
            "text": "\n\n".join(self.texts),
            "citations": [
                {"number": c.number, "document": c.document, "page_from": c.page_from, "page_to": c.page_to}
                | ({"also_in": list(c.also_in)} if c.also_in else {})
                for c in self.citations
            ],
            "operations": [operation_entry(operation) for operation in self.operations],
            "not_done": self.not_done,
            "question": _question(self.question),
            "suggestions": [
                {"label": s.label, "function": s.function, "params": dict(s.params)} for s in self.suggestions
            ],
            "usage": {
                "requests": self.usage.requests,
                "input_tokens": self.usage.input_tokens,
                "output_tokens": self.usage.output_tokens,
                "cost_usd": self.usage.cost_usd,
            },
        }


@router.post(
    "/turns",
    summary="One turn on the story in the request",
    response_model=TurnAnswer,
    responses={200: {"content": {EVENT_STREAM: {"schema": {"type": "string"}}}}}
    | refusals(
        (
            "PARSE_ERROR",
            "NOT_PENDING",
            "CONFLICT",
            "NOTHING_TO_UNDO",
            "RATE_LIMITED",
            *OF_A_MODEL,
            *OF_A_SEARCH,
            *OF_A_PROJECT,
            *OF_A_BODY,
        )
    ),
)
async def run_turn(
    request: Request,
    body: Annotated[TurnBody, Sent(openapi_examples=dict(TURNS))],
    key: Annotated[ProjectKey, Depends(project_key)],
    services: Annotated[Services, Depends(get_services)],
) -> Response:
    """Answers with what was said, what was done, and the `.arrow` content afterwards.

    With `Accept: text/event-stream` it is told while it happens: `text` (a piece), `text_end` (a part, whole),
    `operation`, and at last `answer`, or `error`. A caller that hangs up stops the turn.
    """
    if EVENT_STREAM in request.headers.get("accept", ""):
        return await streamed(request, lambda told: answer_turn(body, key, services, told.tell, heard=told.join))
    answer = await while_connected(request, answer_turn(body, key, services))
    return await in_thread(_response, answer)  # a plan may tell far more than the story that came


def _response(answer: dict[str, Any]) -> Response:
    return Response(write_long(answer).encode(errors="replace"), media_type=JSONResponse.media_type)


async def answer_turn(
    body: TurnBody,
    key: ProjectKey,
    services: Services,
    tell: EventSink | None = None,
    operations: tuple[Operation, ...] | None = None,
    *,
    taken: set[Loss] | None = None,
    may_undo: str = "",
    has_story: bool = True,
    at_work: StoryAtWork | None = None,
    heard: Callable[[], Awaitable[None]] | None = None,
) -> dict[str, Any]:
    """Runs the turn on an editor in memory; `tell` hears what happens, and until it is `heard` the story counts.

    With `operations` it is the turn of an assistant of the user's own, which thinks for itself: it does these, or
    answers a question in plain words, and no model of ours is asked; what it takes away counts with what was `taken`
    before, and no turn but that which it `may_undo` is taken back unasked. Without `has_story` it is a turn about the
    documents alone: there is no story to read or to edit, whatever `arrow_content` is. What else was sent counts as
    JSON until it is answered, and not here. A story that is `at_work` already has its room.

    Raises:
        RequestError: The request is none, or the turn failed before it did anything.
        TooManyTurns: The workspace has begun too many.
        NoRoomForTurn: The stories of other turns leave no room for this one's.
    """
    content = body.arrow_content
    size = await in_thread_if_large(len(content), size_once_read, content)
    with nullcontext(at_work) if at_work is not None else services.turn_room.at_work(key.workspace, size) as story:
        story.weigh(size)
        weigh, is_assistants = story.weigh_another, operations is not None
        pendings = CatalogPendings(services.catalog, key.workspace, key.project_id, weigh, by_assistant=is_assistants)
        answer = await _answered(body, key, services, pendings, tell, operations, taken, may_undo, has_story=has_story)
        if heard is not None:
            await heard()
        return answer


async def _answered(
    body: TurnBody,
    key: ProjectKey,
    services: Services,
    pendings: CatalogPendings,
    tell: EventSink | None,
    operations: tuple[Operation, ...] | None,
    taken: set[Loss] | None,
    may_undo: str,
    *,
    has_story: bool,
) -> dict[str, Any]:
    try:
        before, project = await in_thread_if_large(len(body.arrow_content), _read, body.arrow_content)
    except ParseError as error:
        raise RequestError(422, error.code, f"arrow_content: {error}") from error
    editor = InMemoryEditor(project)
    request, assistant = _request(body, key, project if has_story else None, services), services.assistant
    if operations is not None:
        taken = set() if taken is None else taken
        request = replace(request, operations=operations, taken=taken, by_assistant=True, may_undo=may_undo)
        assistant = replace(assistant, answerer=LocalPlanner())
    report = TurnReport()
    with services.ledger.turn(key.workspace, key.project_id, "http" if operations is None else "mcp") as record:
        record.begin(request)

        async def note(event: Event) -> None:
            report.add(event)
            record.add(event)
            if tell is not None:
                await tell(event)

        await assistant.turn(request, editor, pendings, note).run()
    if report.failure is not None and not report.operations:
        raise RequestError(status_of(report.failure.code, _OF_THE_MODEL), report.failure.code, report.failure.message)
    outcome = await in_thread(_outcome, before, editor.project, report.planned)  # an undo's may be a far larger story
    return report.as_dict() | outcome


def _read(content: str) -> tuple[ArrowProject, ArrowProject]:
    """The story twice: as it was, and for the turn to edit."""
    project = parse(content)
    return project.copy(), project


def _outcome(before: ArrowProject, after: ArrowProject, planned: str) -> dict[str, Any]:
    """The fields of the answer that are about the story."""
    changes = diff(before, after)
    return {"changed": not changes.is_empty, "diff": planned or str(changes), "arrow_content": after.to_text()}


def _request(body: TurnBody, key: ProjectKey, project: ArrowProject | None, services: Services) -> TurnRequest:
    return TurnRequest(
        key=key,
        message=body.message,
        project=project,
        history=tuple(latest([Exchange(entry.message, entry.output) for entry in body.history])),
        selected_node_ids=tuple(body.selected_node_ids),
        scene_id=body.current_scene_id,
        function=body.function,
        function_params=body.function_params,
        pending_id=body.pending_id,
        confirm=policy_for(services.confirm, body.confirm, body.function),
        being_read=services.intake.under_way(key),
        plan=body.mode == "plan",
        characters=len(body.arrow_content),
    )


def _question(asked: Asked | None) -> dict[str, Any] | None:
    return {"kind": asked.kind, "text": asked.text, "pending_id": asked.pending_id} if asked else None
