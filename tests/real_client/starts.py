"""What conversations begin with, and the two operations that most of them have."""

from arrow_project import Operation
from tests.arrow_project.conform.starts import text_of
from tests.real_client.conversation import op

LAMP, BLANK, CHAPTER = text_of("lamp"), text_of("blank"), text_of("chapter")
# A frame of Godot's WebSocketPeer, in either direction.
FRAME_LIMIT = 65_535


def node(node_type: str, scene_id: int, preset: dict[str, object] | None = None, **more: object) -> Operation:
    return op("create_insert_node", type=node_type, scene_id=scene_id, preset=preset or {}, **more)


def connect(from_id: int, from_slot: int, to_id: int, to_slot: int = 0) -> Operation:
    return op("create_connection", from_node_id=from_id, from_slot=from_slot, to_node_id=to_id, to_slot=to_slot)
