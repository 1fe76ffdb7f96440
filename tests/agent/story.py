"""A small story for tests: one scene with three nodes, a variable, a character."""

import json
from typing import Any

from arrow_project import ArrowProject, parse

_DOCUMENT: dict[str, Any] = {
    "title": "The Cold Lamp",
    "entry": 1,
    "meta": {
        "chapter": 0,
        "authors": {"0": ["Ada", 40]},
        "last_save": None,
        "editor": "3.1.0",
        "offline": True,
        "remote": {},
    },
    "resources": {
        "scenes": {
            "0": {
                "name": "harbour",
                "entry": 1,
                "map": {
                    "1": {"offset": [100, 100], "io": [[1, 0, 2, 0]]},
                    "2": {"offset": [280, 100], "io": [[2, 0, 3, 0]]},
                    "3": {"offset": [460, 100]},
                },
            }
        },
        "nodes": {
            "1": {"type": "entry", "name": "start", "data": {"plaque": "Start"}},
            "2": {
                "type": "dialog",
                "name": "greeting",
                "data": {"character": 21, "lines": ["The lamp is cold."], "playable": False},
                "ref": [21],
            },
            "3": {
                "type": "content",
                "name": "pier",
                "data": {
                    "title": "",
                    "content": "The pier is empty.",
                    "brief": -1,
                    "auto": False,
                    "clear": False,
                },
            },
        },
        "variables": {"20": {"name": "oil", "type": "num", "init": 3}},
        "characters": {"21": {"name": "Elena", "color": "4a90e2", "use": [2]}},
    },
}

NEXT_ID = 40
"""The id that Arrow gives to the next resource of this story."""


def story(title: str = "The Cold Lamp") -> ArrowProject:
    """The story, parsed."""
    return parse(json.dumps({**_DOCUMENT, "title": title}))


def story_text(title: str = "The Cold Lamp") -> str:
    """The story as a client sends it."""
    return story(title).to_text()
