"""Scenes, variables and characters."""

import pytest

from tests.agent.local.turns import Turn


@pytest.mark.parametrize(
    ("message", "kind", "initial"),
    [
        ("create a variable silver = 10", "num", 10),
        ("create a variable named silver with initial value -4", "num", -4),
        ('create a variable silver = "10"', "str", "10"),
        ("create a variable silver = high tide", "str", "high tide"),
        ("add a bool variable silver", "bool", False),
        ("define variable silver: true", "bool", True),
        ("create a text variable silver = 7", "str", "7"),
        ("make a new variable called silver that starts at 5", "num", 5),
        ("create a variable silver = 7 of type num", "num", 7),
    ],
)
def test_a_variable_is_typed_by_its_value(turn: Turn, message: str, kind: str, initial: object) -> None:
    turn.run(message)

    found = next(variable for variable in turn.story.variables.values() if variable.name == "silver")
    assert (found.type, found.initial) == (kind, initial)


def test_a_variable_without_value_and_type_is_asked_about(turn: Turn) -> None:
    turn.run("create a variable silver")
    assert [(call.tool, call.arguments) for call in turn.calls] == [("create_variable", {"name": "silver"})]


def test_a_second_variable_or_character_of_that_name_is_refused(turn: Turn) -> None:
    turn.run("create a variable Gold = 1; create a character elena marsh")

    assert not turn.calls
    assert "already a variable “gold” (2) = 3" in turn.text
    assert "already a character “Elena_Marsh” (5)" in turn.text


def test_variables_change(turn: Turn) -> None:
    turn.run("set the initial value of gold to 8; rename variable player to hero_name; rename met to seen")

    assert [turn.story.variables[key].name for key in (2, 3, 4)] == ["gold", "hero_name", "seen"]
    assert turn.story.variables[2].initial == 8


def test_several_are_made_at_once(turn: Turn) -> None:
    turn.run("create variables a = 1, b = yes and c = x; create characters Odo and Ada")

    assert [(one.name, one.initial) for one in turn.story.variables.values()][3:] == [("a", 1), ("b", True), ("c", "x")]
    assert [one.name for one in turn.story.characters.values()][2:] == ["Odo", "Ada"]


def test_possessives_and_other_words(turn: Turn) -> None:
    turn.run("change Elena's color to green; change gold's initial value to 9; tag Tomas with mood = calm")

    assert turn.story.characters[5].color == "3fa34d"
    assert turn.story.variables[2].initial == 9
    assert dict(turn.story.characters[6].tags) == {"mood": "calm"}


def test_a_name_that_is_only_partly_quoted_is_asked_about(turn: Turn) -> None:
    turn.run('create a scene "Attic" and go there')

    assert not turn.calls
    assert "do not know what is the name" in turn.text


def test_what_is_used_is_deleted_only_by_force(turn: Turn) -> None:
    turn.run("delete character Elena")
    assert 5 in turn.story.characters
    assert "by force" in turn.text

    turn.run("delete character Elena by force; delete variable gold; delete Tomas")
    assert not turn.story.characters
    assert 2 not in turn.story.variables


@pytest.mark.parametrize(
    ("message", "color", "tags"),
    [
        ("create a character Odo", None, {}),
        ("create a character Odo (color #aabbcc, tag role=mage)", "aabbcc", {"role": "mage"}),
        ("create a character named Odo with color red", "e04040", {}),
        ("add a new character Odo, tags role = mage, mood = calm", None, {"role": "mage", "mood": "calm"}),
    ],
)
def test_a_character_has_color_and_tags(turn: Turn, message: str, color: str | None, tags: dict[str, str]) -> None:
    turn.run(message)

    found = next(one for one in turn.story.characters.values() if one.name == "Odo")
    assert dict(found.tags) == tags
    assert color in (None, found.color)


def test_one_tag_changes_and_the_others_stay(turn: Turn) -> None:
    turn.run("set the tag mood of Elena to calm; set the color of Elena to #00FF00")
    assert dict(turn.story.characters[5].tags) == {"trust": "high", "mood": "calm"}
    assert turn.story.characters[5].color == "00ff00"

    turn.run("remove the tag trust from Elena")
    assert dict(turn.story.characters[5].tags) == {"mood": "calm"}


def test_scenes_are_made_renamed_noted_and_deleted(turn: Turn) -> None:
    turn.run('create a scene named "The Ferry"; create a macro Rest; rename scene Quay to Old Quay')
    assert [(scene.name, scene.is_macro) for scene in turn.story.scenes.values()] == [
        ("Old Quay", False),
        ("The Ferry", False),
        ("Rest", True),
    ]

    turn.run("add a note to scene The Ferry: at night; delete scene The Ferry; delete the macro Rest")
    assert [scene.name for scene in turn.story.scenes.values()] == ["Old Quay"]


def test_a_node_goes_into_the_scene_that_is_named(turn: Turn) -> None:
    turn.run('create a scene named "The Ferry"; add a content in scene The Ferry: Water. Only water.')

    ferry = turn.story.scenes[11]
    assert [turn.story.nodes[node].type for node in ferry.node_ids] == ["entry", "content"]


def test_a_name_that_fits_two_kinds_is_asked_about(turn: Turn) -> None:
    turn.run("create a character gold; rename gold to silver")

    assert "character gold (11) or variable gold (2)" in turn.text
