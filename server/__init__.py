"""The socket and HTTP: sessions, dialects, routes."""

from server.access.rules import LOCAL_WORKSPACE, WORKSPACE_HEADER, Access, AccessDenied
from server.app import create_app
from server.background.embedding import EmbeddingWorker
from server.http.connected import while_connected
from server.http.dependencies import RequestError
from server.http.turn_routes import TurnBody, TurnReport, answer_turn
from server.json_text import JsonError, refuse_long_story
from server.limits.descriptors import raise_descriptors
from server.limits.story_size import size_in_memory, size_once_read
from server.limits.turn_rate import TooManyTurns
from server.limits.turn_room import StoryAtWork
from server.services import CatalogPendings, Limits, Services
from server.socket.editors import Guest, GuestRefused
from server.socket.messages import MessageError, UserMessage
from server.socket.open_editor import OpenEditor
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
    "JsonError",
    "Limits",
    "MessageError",
    "OpenEditor",
    "RequestError",
    "Services",
    "StoryAtWork",
    "TooManyTurns",
    "TurnBody",
    "TurnReport",
    "UserMessage",
    "answer_turn",
    "create_app",
    "raise_descriptors",
    "refuse_long_story",
    "size_in_memory",
    "size_once_read",
    "while_connected",
]
