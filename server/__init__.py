"""The socket and HTTP: sessions, dialects, routes."""

from server.access import LOCAL_WORKSPACE, WORKSPACE_HEADER, Access, AccessDenied
from server.app import create_app
from server.dependencies import RequestError
from server.editors import Guest, GuestRefused
from server.embedding import EmbeddingWorker
from server.messages import MessageError, UserMessage
from server.open_editor import OpenEditor
from server.services import CatalogPendings, Limits, Services, stricter
from server.turn_rate import TooManyTurns
from server.turn_routes import TurnBody, TurnReport, answer_turn
from server.version import VERSION

__all__ = [
    "LOCAL_WORKSPACE",
    "VERSION",
    "WORKSPACE_HEADER",
    "Access",
    "AccessDenied",
    "CatalogPendings",
    "EmbeddingWorker",
    "Guest",
    "GuestRefused",
    "Limits",
    "MessageError",
    "OpenEditor",
    "RequestError",
    "Services",
    "TooManyTurns",
    "TurnBody",
    "TurnReport",
    "UserMessage",
    "answer_turn",
    "create_app",
    "stricter",
]
