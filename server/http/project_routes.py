"""The workspace's projects over HTTP."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from server.http.answers import ProjectList
from server.http.dependencies import get_services
from server.http.description import name_of
from server.http.refusals import OF_A_LIST, refusals
from server.services import Services

router = APIRouter(prefix="/projects", tags=["corpus"], generate_unique_id_function=name_of)


@router.get("", summary="The workspace's projects", response_model=ProjectList, responses=refusals(OF_A_LIST))
async def list_projects(request: Request, services: Annotated[Services, Depends(get_services)]) -> dict[str, Any]:
    """Each with the documents and passages of its corpus, and how many of these have their vectors."""
    workspace: str = request.state.workspace
    counts = await services.listing.run(workspace, partial(services.catalog.project_counts, workspace))
    return {
        "projects": [
            {"project": c.project, "documents": c.documents, "passages": c.passages, "embedded": c.embedded}
            for c in counts
        ]
    }
