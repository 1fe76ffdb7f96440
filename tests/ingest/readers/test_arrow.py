import json
from typing import Any

import pytest

from ingest.extracted import ReadError
from ingest.readers import read
from ingest.split import split


def project(**changes: Any) -> bytes:
    nodes = {
        "1": {"type": "entry", "name": "1", "data": {"plaque": "Start"}},
        "2": {"type": "dialog", "name": "2", "data": {"character": 9, "lines": ["Ring it!", "Run!"]}},
        "3": {"type": "interaction", "name": "3", "data": {"actions": ["Ring the bell", "Hide"]}},
        "4": {
            "type": "content",
            "name": "4",
            "data": {"title": "Dawn", "content": "The sea is calm."},
            "notes": "Slow.",
        },
        "5": {"type": "monolog", "name": "5", "data": {"character": -1, "monolog": "Who was that?"}},
        "6": {"type": "condition", "name": "6", "data": {"variable": 8, "operator": "eq", "with": [0, 1]}},
    }
    links = {"1": 2, "2": 3, "3": 5, "5": 6, "6": 4}
    places = {
        node: {"offset": [0, 0], "io": [[int(node), 0, links[node], 0]] if node in links else []} for node in nodes
    }
    return json.dumps(
        {
            "title": "The Drowned Bell",
            "entry": 1,
            "meta": {},
            "resources": {
                "scenes": {"7": {"name": "harbour", "entry": 1, "map": places}},
                "nodes": nodes,
                "variables": {"8": {"name": "gold", "type": "num", "init": 0}},
                "characters": {"9": {"name": "Mara", "color": "ffffff", "tags": {"role": "keeper"}}},
                **changes,
            },
        }
    ).encode()


def test_scenes_are_sections_and_nodes_their_text_in_the_order_of_play() -> None:
    extracted = read("bell.arrow", project())
    assert [(passage.heading, passage.text) for passage in split(extracted, "d" * 16, "bell.arrow")] == [
        (("The Drowned Bell", "Characters"), "- Mara (role: keeper)"),
        (
            ("The Drowned Bell", "harbour"),
            (
                "Start\n\nMara: Ring it!\nMara: Run!\n\n- Ring the bell\n- Hide\n\nAnonymous: Who was that?\n\n"
                "Dawn\nThe sea is calm.\n\nSlow."
            ),
        ),
    ]


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"resources": {}}', project(nodes={"1": 3})])
def test_what_is_no_project_is_damaged(data: bytes) -> None:
    with pytest.raises(ReadError, match=r"bell\.arrow: ") as refused:
        read("bell.arrow", data)
    assert refused.value.code == "CORRUPT"


def test_a_project_without_words_is_empty() -> None:
    with pytest.raises(ReadError) as refused:
        read("bell.arrow", b'{"resources": {"scenes": {}, "nodes": {}, "variables": {}, "characters": {}}}')
    assert refused.value.code == "EMPTY"
