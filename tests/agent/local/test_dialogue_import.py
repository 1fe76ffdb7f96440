"""A dialogue of the documents as a scene: the whole of it, or nothing with the reason."""

import pytest

from agent.local.draft import Draft
from arrow_project import ArrowProject, check
from tests.agent.local.turns import Turn, cited
from tests.arrow_project.scripts.test_markup import INK, TWEE, YARN_1, YARN_2

SCRIPT = """DIALOGUE 1: WAITING
Place: the quay
ELENA: It is late.
* Ask about the lamp
  TOMAS: It burns.
* Say nothing
TOMAS (quietly): It is always late.

DIALOGUE 2: PARTING
ELENA: Farewell.
ODO: Farewell, and mind the rope.
-> Waiting
"""


def documents(turn: Turn, **texts: str) -> Turn:
    turn.texts = {name.replace("_", "."): text for name, text in texts.items()}
    turn.passages = [cited(n, name, text[:600]) for n, (name, text) in enumerate(turn.texts.items(), start=1)]
    return turn


def scene(turn: Turn, name: str) -> list[str]:
    """The types of the scene's nodes that are reached from its entry."""
    (found,) = (one for one in turn.story.scenes.values() if one.name == name)
    inside = [node for node in turn.story.nodes_of(found.id) if node.id in turn.story.reached_from([found.entry])]
    assert len(inside) == len(found.node_ids), "everything is connected"
    return [node.type for node in inside]


def test_every_line_becomes_a_node_that_is_connected(turn: Turn) -> None:
    documents(turn, script_txt=SCRIPT).run('build a scene from the dialogue "Waiting" in script.txt')

    assert scene(turn, "Waiting") == ["entry", "monolog", "interaction", "monolog", "monolog"]
    assert "“Waiting”" in turn.text
    assert "[1]" in turn.text
    entry = next(one.entry for one in turn.story.scenes.values() if one.name == "Waiting")
    assert turn.story.nodes[entry].notes == "Place: the quay"
    assert {one.name for one in turn.story.characters.values()} == {"Elena_Marsh", "Tomas"} or len(
        turn.story.characters
    ) == 2


def test_what_it_leads_to_comes_along(turn: Turn) -> None:
    documents(turn, script_txt=SCRIPT).run("build a scene named Farewell from dialogue 2")

    assert scene(turn, "Farewell") == ["entry", "monolog", "monolog", "jump"]
    assert "interaction" in scene(turn, "Waiting")
    assert "New characters: Odo" in turn.text


@pytest.mark.parametrize(
    ("message", "document", "text", "name", "types"),
    [
        ("from the dialogue “Far Side”", "ferry_yarn", YARN_2, "Far Side", {"monolog"}),
        ("from the dialogue “Start”", "quay_yarn", YARN_1, "Start", {"monolog", "interaction", "jump"}),
        (
            "named Landing from the dialogue “quay”",
            "quay_ink",
            INK,
            "Landing",
            {"content", "monolog", "condition", "interaction", "variable_update", "jump"},
        ),
        ("from the dialogue “Home”", "story_twee", TWEE, "Home", {"monolog"}),
    ],
)
def test_other_languages_are_scenes_without_errors(
    turn: Turn, message: str, document: str, text: str, name: str, types: set[str]
) -> None:
    documents(turn, **{document: text}).run(f"build a scene {message}")

    assert "Not done" not in turn.text, turn.text
    assert set(scene(turn, name)) == {"entry", *types}
    assert turn.project is not None
    assert not [one for one in check(turn.project) if one.severity == "error"]


def test_yarn_with_conditions_changes_and_commands(turn: Turn) -> None:
    text = YARN_2.replace("$gold_left", "3")
    documents(turn, ferry_yarn=text).run('build a scene from the dialogue "Ferry Landing"')

    assert "Not done" not in turn.text, turn.text
    types = scene(turn, "Ferry Landing")
    assert types.count("condition") == 3
    assert types.count("interaction") == 3, "one with the toll, one without it, one within"
    assert scene(turn, "Far Side") == ["entry", "monolog"]
    told = [text for node in turn.story.nodes.values() for text in node.texts]
    assert not [one for one in told if "<<" in one or "->" in one or "#line" in one]
    assert [node.notes for node in turn.story.nodes.values() if "wait" in node.notes] == ["<<wait 2>>"]
    assert (
        turn.story.variables[next(key for key, one in turn.story.variables.items() if one.name == "gold")].initial == 3
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("-> Waiting", "-> The Mill"), "The Mill"),
        (("ODO: Farewell", "* [if she has the key] Open\n* Leave\nODO: Farewell"), "she has the key"),
    ],
)
def test_what_cannot_be_done_whole_is_not_done_at_all(
    turn: Turn, project: ArrowProject, change: tuple[str, str], reason: str
) -> None:
    before = project.to_text()
    documents(turn, script_txt=SCRIPT.replace(*change)).run("build a scene from dialogue 2")

    assert turn.text.startswith("Not done:")
    assert reason in turn.text
    assert not turn.edits
    assert project.to_text() == before


def test_choices_in_choices_in_choices_are_refused_in_words(turn: Turn) -> None:
    options = "".join(f"{'    ' * n}-> Option {n}\n{'    ' * (n + 1)}Elena: Line {n}.\n" for n in range(250))
    documents(turn, deep_yarn=f"title: Deep\n---\n{options}===\n").run('build a scene from the dialogue "Deep"')
    assert turn.text.startswith("Not done: Its choices or conditions are nested too deep.")
    assert not turn.edits


def test_a_scene_of_the_name_and_a_speaker_of_two_names_are_refused(turn: Turn) -> None:
    documents(turn, script_txt=SCRIPT.replace("WAITING", "QUAY"))
    assert "already a scene “Quay”" in turn.run("build a scene from dialogue 1").text
    turn.run("create the characters Odo_Grane and Odo_Finch")
    assert "Odo_Grane" in turn.run("build a scene from dialogue 2").text
    assert not turn.edits


def test_what_is_not_there_is_said_with_what_is(turn: Turn) -> None:
    documents(turn, script_txt=SCRIPT).run('build a scene from the dialogue "The Wedding"')

    assert turn.text.startswith("Not done: I found no dialogue “The Wedding”")
    assert "“Waiting”" in turn.text
    assert "no document “b.txt”" in turn.run('build a scene from the dialogue "Waiting" in b.txt').text


def test_lines_of_the_message_become_a_scene(turn: Turn) -> None:
    turn.run("build a scene named Talk from these lines:\nELENA: Hm.\nTOMAS: Hm?\nELENA: Hm!")
    assert scene(turn, "Talk") == ["entry", "monolog", "monolog", "monolog"]


def test_a_long_document_is_read_part_by_part(turn: Turn) -> None:
    turn.paged = {"script.pdf": [*SCRIPT.split("\n\n", 1), "DIALOGUE 3: END\nELENA: So.\nTOMAS: So."]}
    turn.passages = [cited(1, "script.pdf", SCRIPT[:300])]
    turn.run("build a scene from dialogue 3 in script.pdf")
    assert scene(turn, "End") == ["entry", "monolog", "monolog"]


def test_no_more_is_read_than_has_room_and_no_half_dialogue_is_taken(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.local.dialogue_import._LONGEST", SCRIPT.index("-> Waiting"))
    documents(turn, script_txt=SCRIPT).run("build a scene named Farewell from dialogue 2")
    assert "I have read the first" in turn.text
    assert "Farewell" not in {one.name for one in turn.story.scenes.values()}
    turn.run('build a scene from the dialogue "Waiting" in script.txt')
    assert scene(turn, "Waiting") == ["entry", "monolog", "interaction", "monolog", "monolog"]


def test_where_another_document_had_no_room_the_last_dialogue_of_one_is_whole(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.local.dialogue_import._LONGEST", len(SCRIPT) + 10)
    documents(turn, a_script_txt=SCRIPT, b_script_txt=SCRIPT).run('build a scene from the dialogue "Partin"')
    assert {"Parting", "Waiting"} <= {one.name for one in turn.story.scenes.values()}, turn.text


def test_an_editor_that_fails_half_way_is_told(turn: Turn) -> None:
    turn.refused = {"create_connection": {"code": "TIMEOUT", "message": "The editor did not answer."}}
    documents(turn, script_txt=SCRIPT).run("build a scene from dialogue 1")
    assert "Not done: create connection: The editor did not answer. (TIMEOUT)" in turn.text
    assert "steps before it were done" in turn.text


def test_a_turn_can_be_stopped_before_each_speaker_is_looked_for(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()
    monkeypatch.setattr(Draft, "go_on", lambda draft: asked.append(len(draft.done)))
    turn.run("build a scene named Talk from these lines:\nELENA: Hm.\nTOMAS: Hm?\nODO: Hm!")
    assert asked.count(0) > 3


def test_what_takes_very_many_steps_is_not_begun(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.local.draft._MOST_STEPS", 50)
    long = "".join(f"ELENA: Line {number}.\n" for number in range(30))
    turn.run(f"build a scene named Talk from these lines:\n{long}")
    assert turn.text.startswith(
        "Not done: That takes more than 50 steps. Divide it into several messages or dialogues."
    )
    assert not turn.edits
