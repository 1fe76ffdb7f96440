"""What a document says around a passage, over HTTP: for formats whose pages cannot be drawn."""

from dataclasses import asdict
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel

from corpora import ProjectKey
from server.http.dependencies import get_services, project_key
from server.http.description import name_of
from server.http.json_route import JsonRoute
from server.http.refusals import OF_A_PROJECT, OF_A_SEARCH, refusals
from server.services import Services

router = APIRouter(
    prefix="/projects/{project_id}/text", tags=["corpus"], route_class=JsonRoute, generate_unique_id_function=name_of
)

Key = Annotated[ProjectKey, Depends(project_key)]
Parts = Annotated[Services, Depends(get_services)]


class TextAround(BaseModel):
    """A passage and what its document says around it; without a passage, `after` is how the document begins."""

    document: str
    document_id: str
    before: str
    text: str
    after: str


@router.get(
    "",
    summary="A passage where it stands in its document",
    responses=refusals(
        ("PROJECT_NOT_FOUND", "DOCUMENT_NOT_FOUND", "PASSAGE_NOT_FOUND", "INVALID_REQUEST", *OF_A_PROJECT, *OF_A_SEARCH)
    ),
)
async def text_around(
    key: Key,
    services: Parts,
    document: str,
    passage: str | None = None,
    characters: Annotated[int, Query(ge=0, le=100_000)] = 2_000,
) -> TextAround:
    """`document` is a name or an id; so many `characters` on either side of the passage."""
    read = partial(services.retriever.surroundings, key, document, passage, characters)
    return TextAround(**asdict(await services.asking.run(key.workspace, read)))
