"""The workspace's projects over HTTP."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import JSONResponse

from server.http.answers import ProjectList
from server.http.dependencies import get_services
from server.http.description import name_of
from server.http.refusals import OF_THE_CATALOG, refusals
from server.services import Services

router = APIRouter(prefix="/projects", tags=["corpus"], generate_unique_id_function=name_of)


@router.get("", summary="The workspace's projects", response_model=ProjectList, responses=refusals(OF_THE_CATALOG))
async def list_projects(request: Request, services: Annotated[Services, Depends(get_services)]) -> Response:
    """Each with the documents and passages of its corpus, and how many of these have their vectors."""
    workspace: str = request.state.workspace

    def answer() -> Response:
        return JSONResponse({"projects": [asdict(counts) for counts in services.catalog.project_counts(workspace)]})

    return await services.listing.run(workspace, answer)
