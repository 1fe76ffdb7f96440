"""The socket and HTTP: sessions, dialects, routes."""

from server.access import LOCAL_WORKSPACE, WORKSPACE_HEADER, Access, AccessDenied
from server.app import create_app
from server.dependencies import RequestError
from server.embedding import EmbeddingWorker
from server.services import CatalogPendings, Limits, Services, stricter
from server.turn_routes import TurnBody, answer_turn

__all__ = [
    "LOCAL_WORKSPACE",
    "WORKSPACE_HEADER",
    "Access",
    "AccessDenied",
    "CatalogPendings",
    "EmbeddingWorker",
    "Limits",
    "RequestError",
    "Services",
    "TurnBody",
    "answer_turn",
    "create_app",
    "stricter",
]
