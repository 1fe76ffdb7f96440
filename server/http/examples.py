"""Examples of what is sent, for the application's description."""

import json
from collections.abc import Mapping

from fastapi.openapi.models import Example

_STORY = {
    "title": "The Cold Lamp",
    "entry": 1,
    "meta": {"chapter": 0, "authors": {"0": ["Ada", 3]}, "last_save": None, "editor": "3.1.0"},
    "resources": {
        "scenes": {
            "0": {
                "name": "harbour",
                "entry": 1,
                "map": {"1": {"offset": [100, 100], "io": [[1, 0, 2, 0]]}, "2": {"offset": [280, 100]}},
            }
        },
        "nodes": {
            "1": {"type": "entry", "name": "start", "data": {"plaque": "Start"}},
            "2": {"type": "content", "name": "lamp", "data": {"title": "Lamp", "content": "The lamp is cold."}},
        },
        "variables": {},
        "characters": {},
    },
}
_ARROW = json.dumps(_STORY)

TURNS: Mapping[str, Example] = {
    "message": {
        "value": {
            "arrow_content": _ARROW,
            "message": "Add a content after 2: Rain.",
            "selected_node_ids": [2],
            "current_scene_id": 0,
        }
    },
    "function": {
        "value": {
            "arrow_content": _ARROW,
            "function": "create_variable",
            "function_params": {"name": "gold", "type": "num", "initial_value": 5},
        }
    },
}
CHECK: Mapping[str, Example] = {"story": {"value": {"arrow_content": _ARROW}}}
FOLDER: Mapping[str, Example] = {"folder": {"value": {"path": "/srv/lamp/documents"}}}
