"""What is wrong with a story by Arrow's own rules, over HTTP: no model and no document has a part in it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi import Body as Sent
from fastapi.responses import JSONResponse
from pydantic import Field

from agent import in_thread_if_large, in_thread_until_cancelled
from arrow_project import GoOn, check_text
from corpora import ProjectKey
from server.http.answers import CheckAnswer
from server.http.connected import while_connected
from server.http.dependencies import get_services, project_key
from server.http.description import name_of
from server.http.examples import CHECK
from server.http.json_route import Body, JsonRoute
from server.http.refusals import OF_A_BODY, OF_A_PROJECT, refusals
from server.limits.story_size import size_once_read
from server.services import Services

router = APIRouter(
    prefix="/projects/{project_id}/check", tags=["turns"], route_class=JsonRoute, generate_unique_id_function=name_of
)


class CheckBody(Body):
    """The story to look at."""

    arrow_content: Annotated[str, Field(description="The whole .arrow file")]


@router.post(
    "",
    summary="Every rule of Arrow's that a story breaks, then the warnings",
    response_model=CheckAnswer,
    responses=refusals((*OF_A_PROJECT, *OF_A_BODY)),
)
async def check_story(
    request: Request,
    body: Annotated[CheckBody, Sent(openapi_examples=dict(CHECK))],
    key: Annotated[ProjectKey, Depends(project_key)],
    services: Annotated[Services, Depends(get_services)],
) -> JSONResponse:
    """As `fletcher check`. What Arrow would not load is one finding. Nothing of the project is read or kept.

    A caller that hangs up stops the check.
    """

    def answer(go_on: GoOn) -> JSONResponse:
        return JSONResponse({"findings": [vars(finding) for finding in check_text(body.arrow_content, go_on)]})

    content = body.arrow_content
    size = await in_thread_if_large(len(content), size_once_read, content)
    with services.turn_room.at_work(key.workspace, size):
        return await while_connected(request, in_thread_until_cancelled(answer))
