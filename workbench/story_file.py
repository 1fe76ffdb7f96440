"""The text of a story that the page has open."""

import json

BLANK = json.dumps(
    {
        "title": "",
        "entry": 1,
        "meta": {
            "chapter": 0,
            "authors": {"0": ["Fletcher", 2]},
            "last_save": None,
            "editor": "3.1.0",
            "offline": True,
            "remote": {},
        },
        "resources": {
            "scenes": {"0": {"name": "scene", "entry": 1, "map": {"1": {"offset": [100, 100]}}}},
            "nodes": {"1": {"type": "entry", "name": "1", "data": {"plaque": "Start"}}},
            "variables": {},
            "characters": {},
        },
    }
)
"""A story without anything in it, for questions about the documents alone."""
