"""What operators ask of a server: whether it is ready, and what it has counted."""

import asyncio
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from server.dependencies import get_services
from server.services import Services

router = APIRouter(tags=["operation"])


@router.get("/healthz", summary="200 once the server is ready")
async def healthz() -> dict[str, str]:
    """Open to everybody."""
    return {"status": "ok", "version": version("fletcher")}


@router.get(
    "/metrics",
    summary="What the server has counted, as Prometheus reads it",
    response_class=Response,
)
async def metrics(services: Annotated[Services, Depends(get_services)]) -> Response:
    """Any workspace's token opens it: it says nothing of a single workspace."""
    # In a thread, because it counts the documents in the catalog.
    text = await asyncio.to_thread(generate_latest, services.metrics.registry)
    return Response(text, media_type=CONTENT_TYPE_LATEST)
