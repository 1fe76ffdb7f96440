"""A dialogue of the documents becomes a scene."""

import pytest

from arrow_project import ArrowProject
from tests.agent.local.test_script import PLAIN
from tests.agent.local.turns import CitedPassage, Passage, Turn


@pytest.fixture
def turn(project: ArrowProject) -> Turn:
    passages = [
        CitedPassage(1, Passage("bible.pdf", "The ferry runs at low water.", ("The ferry",), 4, 4)),
        CitedPassage(2, Passage("script.txt", PLAIN[PLAIN.index("DIALOGUE 2") :], ("DIALOGUE 2",))),
    ]
    texts = {"bible.pdf": "The ferry runs at low water.", "script.txt": PLAIN}
    return Turn(project, scene_id=0, passages=passages, texts=texts)


@pytest.mark.parametrize(
    "message",
    [
        'build a scene from the dialogue "The Ferry at Low Water" (in the documents)',
        "Build a scene from the dialogue the ferry at low water.",
        "please make a scene from dialogue 2",
        "create a new scene out of dialogue 2 in script.txt",
        "turn the dialogue The Ferry at Low Water into a scene",
        "add the dialogue about the ferry as a scene",
    ],
)
def test_the_dialogue_is_found(turn: Turn, message: str) -> None:
    turn.run(message)

    assert [scene.name for scene in turn.story.scenes.values()] == ["Quay", "The Ferry at Low Water"], turn.text
    assert "in script.txt [2]" in turn.text


def test_every_line_is_a_node_and_every_node_is_reached(turn: Turn) -> None:
    turn.run("build a scene from dialogue 2")

    story = turn.story
    scene = story.scenes[11]
    texts = {node.texts: node.id for node in story.nodes_of(scene.id)}
    lamp = texts[("Ask about the lamp", "Say nothing")]
    why = texts[("Why?", "Leave it")]
    last = texts[("Come aboard.",)]
    ways = {(link.from_id, link.from_slot, link.to_id) for link in story.connections}
    assert {
        (scene.entry, 0, texts[next(key for key in texts if key and key[0].startswith("You came"))]),
        (texts[("The rope creaks.",)], 0, texts[("I did.",)]),
        (lamp, 0, texts[("It burns.",)]),
        (texts[("It burns.",)], 0, why),
        (why, 0, texts[("Because.",)]),
        (texts[("Because.",)], 0, last),
        (why, 1, last),
        (lamp, 1, texts[("Fine.",)]),
        (texts[("Fine.",)], 0, last),
    } <= ways
    reached = {link.to_id for link in story.connections} | {scene.entry}
    assert set(scene.node_ids) <= reached


def test_there_is_no_second_elena(turn: Turn) -> None:
    turn.run("build a scene from dialogue 2")

    assert [one.name for one in turn.story.characters.values()] == ["Elena_Marsh", "Tomas"]
    assert "Already in the project: Elena and Tomas." in turn.text


def test_missing_characters_are_created(turn: Turn) -> None:
    turn.run("build a scene named Quick from this:\nOLD TOMAS: Who is it?\nMINA (softly): Only me.")

    assert [one.name for one in turn.story.characters.values()] == ["Elena_Marsh", "Tomas", "Old_Tomas", "Mina"]
    assert "New characters: Old Tomas and Mina." in turn.text
    assert [node.notes for node in turn.story.nodes_of(13)] == ["", "", "softly"]


def test_a_name_that_fits_two_characters_stops_before_anything_is_made(turn: Turn) -> None:
    turn.run("create a character Elena Voss")
    turn.run("build a scene from dialogue 2")

    assert not turn.edits
    assert "Elena_Marsh (5) or Elena_Voss (11)" in turn.text


def test_a_scene_of_that_name_is_not_built_twice(turn: Turn) -> None:
    turn.run("build a scene from dialogue 2")
    turn.run("build a scene from dialogue 2")
    assert not turn.edits
    assert "already a scene" in turn.text

    turn.run("build a scene named Again from dialogue 2")
    assert "Again" in [scene.name for scene in turn.story.scenes.values()]


def test_an_unknown_dialogue_is_answered_with_those_there_are(turn: Turn) -> None:
    turn.run('build a scene from the dialogue "The Dragon"')

    assert not turn.edits
    assert "“Waiting” in script.txt" in turn.text


def test_a_condition_and_a_way_out_that_lead_nowhere_are_said(turn: Turn) -> None:
    script = "ELENA: Pay.\n* (if gold > 3) Pay\n* Run -> The Hills\n* Go -> Quay\nELENA: So."
    turn.run(f"build a scene named X from this:\n{script}")

    assert "the condition “if gold > 3” on “Pay”" in turn.text
    assert "“-> The Hills”: there is no scene of that name" in turn.text
    jump = next(node for node in turn.story.nodes.values() if node.type == "jump")
    assert jump.data["target"] == 1


def test_a_node_that_is_refused_is_told_and_the_rest_is_built(turn: Turn) -> None:
    turn.refused = {"create_connection": {"code": "INVALID_CONNECTION", "message": "Not today."}}
    turn.run("build a scene from dialogue 1")

    assert "Not today." in turn.text
    assert len(turn.story.scenes[11].node_ids) == 3


def test_a_document_with_pages_that_is_cut_is_read_on(turn: Turn) -> None:
    pages = [str(page) for page in PLAIN.split("\n\n")]
    turn.texts = {}
    turn.paged = {"script.pdf": pages}
    turn.passages = [CitedPassage(4, Passage("script.pdf", "You came after all, and through all that fog"))]
    turn.run("build a scene from dialogue 2")

    assert [call.arguments["part"] for call in turn.calls if call.tool == "read_document"] == [1, 2]
    assert "The Ferry at Low Water" in [scene.name for scene in turn.story.scenes.values()]


def test_without_a_project_nothing_is_searched(turn: Turn) -> None:
    turn.project = None
    turn.run("build a scene from dialogue 1")

    assert not turn.calls
    assert "No Arrow project is open" in turn.text
