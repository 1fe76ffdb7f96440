"""What operators ask of a server: whether it is ready, and what it has counted."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from server.http.answers import HealthAnswer
from server.http.dependencies import get_services
from server.http.description import name_of
from server.http.refusals import OF_THE_CATALOG, refusals
from server.services import Services
from server.version import VERSION

router = APIRouter(tags=["operation"], generate_unique_id_function=name_of)


@router.get(
    "/healthz",
    summary="200 once the server is ready, and which stores answer",
    response_model=HealthAnswer,
    responses={503: {"model": HealthAnswer, "description": "The catalog is away"}},
)
async def healthz(services: Annotated[Services, Depends(get_services)], response: Response) -> dict[str, Any]:
    """Open to everybody. `status` is `ok`; `degraded` while vectors or a provider are away; `unavailable`, with 503,
    while the catalog is.
    """
    stores, providers = await services.health.stores(), services.health.providers()
    status = "ok"
    if stores["catalog"] != "ok":
        status, response.status_code = "unavailable", 503
    elif "away" in (stores["vectors"], *providers.values()):
        status = "degraded"  # ready all the same: text search and all else go on
    return {"status": status, "version": VERSION, "stores": stores, "providers": providers}


@router.get(
    "/metrics",
    summary="What the server has counted, as Prometheus reads it",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "Counts in Prometheus' text format"}}
    | refusals(OF_THE_CATALOG),
)
async def metrics(request: Request, services: Annotated[Services, Depends(get_services)]) -> Response:
    """Any workspace's token opens it: it says nothing of a single workspace."""
    # As a list of whoever asks, because it counts the documents in the catalog.
    text = await services.listing.run(request.state.workspace, partial(generate_latest, services.metrics.registry))
    return Response(text, media_type=CONTENT_TYPE_LATEST)
