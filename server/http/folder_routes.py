"""The folder that belongs to a project, over HTTP: link, look, unlink."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi import Body as Sent
from fastapi.responses import JSONResponse
from pydantic import Field

from agent import in_thread
from corpora import ProjectKey
from ingest import FolderReport
from server.http.answers import FolderAnswer
from server.http.dependencies import get_services, is_owner, project_key
from server.http.description import name_of
from server.http.examples import FOLDER
from server.http.json_route import Body, JsonRoute
from server.http.refusals import OF_A_BODY, OF_A_PROJECT, refusals
from server.services import Services

router = APIRouter(
    prefix="/projects/{project_id}/folder", tags=["corpus"], route_class=JsonRoute, generate_unique_id_function=name_of
)

Key = Annotated[ProjectKey, Depends(project_key)]
Parts = Annotated[Services, Depends(get_services)]
ByOwner = Annotated[bool, Depends(is_owner)]


class FolderLink(Body):
    """`path`: an absolute path on the server's machine."""

    path: Annotated[str, Field(max_length=4096)]


@router.put(
    "",
    summary="Link a folder to the project",
    response_model=FolderAnswer,
    responses=refusals(("FOLDER_NOT_ALLOWED", "FOLDER_UNUSABLE", "WORKSPACE_FULL", *OF_A_PROJECT, *OF_A_BODY)),
)
async def link_folder(
    link: Annotated[FolderLink, Sent(openapi_examples=dict(FOLDER))], key: Key, services: Parts, by_owner: ByOwner
) -> JSONResponse:
    """From now on the folder's documents are the project's; answers what became of each when all are searchable.

    Documents of a folder that was linked before are removed, unless this one has them too. The folder must be below
    one that `FLETCHER_FOLDERS` names for the workspace; where that is not set, the key of the owner's file is needed.
    """
    report = await services.folders.link(key, link.path, by_owner=by_owner)
    folder = await services.asking.run(key.workspace, partial(services.catalog.require_folder, key))
    return await in_thread(_answer, FolderReport.of(folder, report.documents))


@router.get(
    "",
    summary="The linked folder",
    response_model=FolderAnswer,
    responses=refusals(("FOLDER_NOT_FOUND", *OF_A_PROJECT)),
)
async def show_folder(key: Key, services: Parts) -> JSONResponse:
    """Its path, what is wrong with it, and the documents that came from it."""
    return await in_thread(_answer, await _report(key, services))


@router.delete(
    "",
    summary="Unlink the folder",
    response_model=FolderAnswer,
    responses=refusals(("FOLDER_NOT_FOUND", "FOLDER_UNUSABLE", *OF_A_PROJECT)),
)
async def unlink_folder(key: Key, services: Parts) -> JSONResponse:
    """Its documents stay in the corpus, and are not kept in step any more."""
    report = await _report(key, services)
    await services.folders.unlink(key)
    return await in_thread(_answer, report)


def _answer(report: FolderReport) -> JSONResponse:
    return JSONResponse(report.as_dict())


async def _report(key: ProjectKey, services: Services) -> FolderReport:
    return await services.listing.run(key.workspace, partial(FolderReport.now, services.catalog, key))
