"""Commands on a small story: what they do, what they refuse, and that nothing is done by half."""

import tracemalloc
from unittest.mock import Mock

import pytest

from agent.local import is_command, slots
from agent.local.resolver import matching
from agent.local.steps import WordsMissing
from arrow_project import ArrowProject, Character, Operation
from tests.agent.local.turns import Turn


def new(turn: Turn, before: set[int]) -> list[int]:
    return sorted(turn.story.nodes.keys() - before)


# 1 entry -> 7 content -> 8 monolog by Elena -> 9 choice (Wait, Walk home); 10 content `ending`, alone
def test_after_splices_where_it_leads_on(turn: Turn) -> None:
    turn.run("add a content after 7: The bell rings.")
    assert {(7, 0, 11, 0), (11, 0, 8, 0)} <= turn.connections
    assert (7, 0, 8, 0) not in turn.connections


def test_a_choice_that_comes_in_between_leads_on_from_each_of_its_options(turn: Turn) -> None:
    turn.run("add a choice after 7: Stay / Go")
    assert {(7, 0, 11, 0), (11, 0, 8, 0), (11, 1, 8, 0)} <= turn.connections


def test_before_takes_over_what_led_there(turn: Turn) -> None:
    turn.run("connect 9 to 7 on choice “Walk home”; add a content before 7: Night falls.")
    assert {(1, 0, 11, 0), (9, 1, 11, 0), (11, 0, 7, 0)} <= turn.connections
    assert not {(1, 0, 7, 0), (9, 1, 7, 0)} & turn.connections


def test_one_way_out_of_several_is_named(turn: Turn) -> None:
    assert "several free outputs" in turn.run("add a content after 9: Steps.").text
    turn.run("add a content after 9 on choice “Walk home”: Steps.")
    assert (9, 1, 11, 0) in turn.connections
    turn.run("add a content after 9: Nobody.")
    assert (9, 0, 12, 0) in turn.connections, "the only one that is left"


def test_what_was_made_is_it(turn: Turn) -> None:
    turn.run('create a character Odo; make Odo say "Ho." after 10; add a content after it: Silence.')
    assert {(10, 0, 12, 0), (12, 0, 13, 0)} <= turn.connections


@pytest.mark.parametrize(
    "message",
    [
        "create a variable silver = 1; delete node 99",
        "delete node 10\nconnect 7 to 10",
        "create a character Odo and fly away",
        "rename node 10 to over, then make it nicer",
        "add a content after 10: Fog.; add a dialog by Nobody after it: Hm.",
        "create a variable silver = 1; create a variable silver = 2",
        "create a variable silver = 1; create a variable bronze",
    ],
)
def test_several_commands_are_done_together_or_not_at_all(turn: Turn, project: ArrowProject, message: str) -> None:
    before = project.to_text()
    turn.run(message)
    assert not turn.edits
    assert project.to_text() == before
    assert "Nothing was changed." in turn.text


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("Add a hub with three choices", "choices"),
        ("let the hero answer politely when Elena asks about the fog", "politely when Elena asks about the fog"),
        ("Create a scene about grief", "about grief"),
        ("Create a character who hates Elena", "who hates Elena"),
        ("Add a dialog by Elena after 10 that sounds sad", "that sounds sad"),
        ("Make Elena nicer", "nicer"),
        ("Move node 10", "Move node 10"),
        ("Rename node 10 to something better", "better"),
        ("Change the text of 10 to something better", "something better"),
        ("delete node 10 and 9 but not 8", "but not 8"),
    ],
)
def test_words_that_no_form_has_are_named_and_nothing_is_changed(turn: Turn, message: str, left: str) -> None:
    turn.run(message)
    assert not turn.calls
    assert left in turn.text.partition("Nothing was changed")[0], turn.text
    assert "FLETCHER_MODEL" in turn.text
    assert "MCP" in turn.text


def test_no_more_of_a_message_is_compared_than_a_form_has(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing takes the product of both lengths, and no other thread runs meanwhile."""
    compare = Mock(return_value=1.0)
    monkeypatch.setattr("agent.local.examples.fuzz", Mock(token_sort_ratio=compare))
    turn.run(f"connect 10 with {'7' * 1_000}")
    assert compare.call_args_list
    assert max(len(one) for call in compare.call_args_list for one in call.args) <= 200


@pytest.mark.parametrize(
    ("message", "form"),
    [
        ("delete node 9 not 8", "delete node 10"),
        ("can you delete Tomas please, he's annoying", "delete node 10"),
        ("drop everything after 7", "delete node 10"),
        ("change 'Nobody' to 'Somebody'", "change the text of node 10 to"),
        ("Change the text of 10 to something better", "change the text of node 10 to"),
        ("after 10, please let the hero answer politely", 'make "Elena_Marsh" say'),
        ("Rename node 10 to something better", "rename node 10 to"),
        ("connect 10 with 7", "connect 10 to"),
        ("after 10 make the hero answer politely", 'make "Elena_Marsh" say'),
        ("Move node 10", ""),
        ("swap nodes 7 and 8", ""),
        ("nobody should delete node 9", ""),
        ("undo the last two changes", ""),
    ],
)
def test_the_nearest_form_begins_with_the_verb_of_the_message(turn: Turn, message: str, form: str) -> None:
    turn.selected = (10,)
    turn.run(message)
    assert not turn.edits
    assert (f"The nearest form that I know is “{form}" in turn.text) is bool(form), turn.text
    assert ("nearest form" in turn.text) is bool(form)


@pytest.mark.parametrize(
    "text",
    [
        "Fog. Add a dialog by Elena",
        "Fog, and connect it to 8",
        "Fog and connect Elena to 8",
        "Fog after node 8",
        "Fog. It leads to node 8",
        "Fog. Delete node 9",
    ],
)
def test_a_text_that_may_hold_a_command_has_to_stand_in_quotation_marks(turn: Turn, text: str) -> None:
    turn.run(f"add a content after 10: {text}")
    assert not turn.edits
    turn.run(f'add a content after 10: "{text}"')
    assert turn.story.nodes[11].texts == (text,)


@pytest.mark.parametrize(
    "message",
    [
        "Elena says: Good evening. Then Tomas: Who's there?",
        "let Elena say: Wait! Tomas: No.",
        "add a choice after 10: Yes / No / Maybe and connect Yes to 8",
        "add a marker after 10: fog and connect it to 8",
        "Elena says: Drink up! and then Tomas says: No, thank you.",
        "add a content after 10: Fog. Tomas then says goodbye",
        "add a user input for player after 10: Who are you? And connect it to 8",
        "add the choice to 9: Swim and delete node 8",
        "change the text of 8 to: Fog and rename Elena to Ann",
        "Elena says: I will not. Then Tomas leaves.",
        "after 10, add a dialog by Elena: Go to bed. After that Tomas says good night.",
        "Elena says: Go to bed! Elena Marsh walks away.",
        "add a content after 10: The lamp goes out, and then Tomas enters",
    ],
)
def test_no_other_part_hides_a_command_either(turn: Turn, message: str) -> None:
    assert "quotation marks" in turn.run(message).text
    assert not turn.edits


@pytest.mark.parametrize("message", ["What is gold? Set it to 9.", "Where does Elena speak? Delete node 8."])
def test_what_stands_behind_a_question_is_not_dropped(turn: Turn, message: str) -> None:
    assert f"I did not understand “{message}”. Nothing was changed." in turn.run(message).text


def test_a_variable_does_not_begin_with_another_one(turn: Turn) -> None:
    assert "“gold” is a variable" in turn.run("create a variable silver = gold").text
    assert turn.run('create a variable silver = "gold"; create a variable mood = sour').edits


def test_that_node_is_the_selected_one(turn: Turn) -> None:
    assert not turn.run("delete that node").edits
    turn.selected = (8,)
    assert [(one.tool, one.arguments) for one in turn.run("delete that node").calls] == [
        ("delete_node", {"node_id": 8})
    ]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("add a content after 10: Fog; rename it to fog", "Fog"),
        ("add a content after 10: Fog, then rename it to fog", "Fog"),
        ("add a content after 10: Fog. Then rename it to fog", "Fog."),
        ("add a content after 10: “Fog; and more; then rename.” then rename it to fog", "Fog; and more; then rename."),
    ],
)
def test_where_a_text_ends(turn: Turn, message: str, text: str) -> None:
    turn.run(message)
    assert turn.story.nodes[11].texts == (text,)
    assert turn.story.nodes[11].name == "fog"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("change the hero's name to Neo", "no character “hero”"),
        ("delete node 99", "no node 99"),
        ("delete the dialog", "dialog"),
        ("connect 10 to 1", "entry"),
        ("set the initial value of gold to plenty", "a number"),
        ("add a condition met >= 2 after 10", "true or false"),
        ("set gold to 5", "After which node?"),
        ("add a jump to node 7 after 8", "leads on to nothing"),
        ("add a jump to gold 1", "no scene or node is called so"),
        ("add a jump to the variable gold", "is a variable"),
        ("add a hub by Elena", "no speaker"),
        ("rename the selected node to gull", "No node is selected"),
        ("create a character Tomas", "Tomas"),
        ("add a content between 7 and 10: Fog.", "does not lead"),
        ("add a macro use of Quay", "not a macro"),
        ("change line 4 of 8 to: Hm.", "neither lines nor choices"),
        ("remove the tag mood from Elena", "no tag mood"),
        ("add a content after 7 in scene 99: Fog.", "no scene “99”"),
        ("change the color of Tomas to sparkling", "no color"),
    ],
)
def test_what_is_not_there_or_does_not_fit_is_refused_with_the_reason(
    turn: Turn, project: ArrowProject, message: str, reason: str
) -> None:
    before = project.to_text()
    turn.run(message)
    assert turn.text.startswith("Not done:"), turn.text
    assert reason in turn.text
    assert project.to_text() == before


def test_quotations_in_references_are_not_the_text(turn: Turn) -> None:
    turn.run('change the text of node "Nobody comes." to "Somebody comes."')
    assert turn.story.nodes[10].texts == ("Somebody comes.",)


def test_a_note_is_added_to_the_notes(turn: Turn) -> None:
    turn.run("add a note to 10: one; add a note to 10: two")
    assert turn.story.nodes[10].notes == "one\ntwo"


def test_ids_that_the_editor_gives_are_followed(turn: Turn) -> None:
    steps: list[dict[str, object]] = []
    answer = turn.answer

    def other_id(call: object) -> dict[str, object]:
        given = answer(call)  # pyright: ignore[reportArgumentType]
        steps.append(given)
        if "node_id" in given and len(steps) == 1:
            assert turn.project is not None
            turn.project.rollback(checkpoint)
            turn.project.expect_id(77)
            given = answer(call)  # pyright: ignore[reportArgumentType]
        return given

    assert turn.project is not None
    checkpoint = turn.project.checkpoint()
    turn.answer = other_id  # pyright: ignore[reportAttributeAccessIssue]
    turn.run("add a content after 10: Fog.")
    assert (10, 0, 77, 0) in turn.connections
    assert "Created 77" in turn.text


def test_without_a_story_nothing_is_edited() -> None:
    assert "No Arrow project is open" in Turn(None).run("create a variable gold = 1").text


def test_a_command_that_lacks_its_words_asks_for_them(turn: Turn) -> None:
    with pytest.raises(WordsMissing, match="What is said"):
        turn.run("add a dialog by Elena after 10")


def test_do_not_does_nothing(turn: Turn) -> None:
    assert turn.run("Don't delete node 10").text == "Nothing was changed."
    assert not turn.calls


@pytest.mark.parametrize(
    ("message", "is_one"),
    [("add a content: Rain.", True), ("never mind", True), ("Who is there?", False), ("Somebody comes.", False)],
)
def test_what_is_a_command(message: str, is_one: bool) -> None:
    assert is_command(message) is is_one


def test_a_message_of_many_words_is_read_in_time(turn: Turn) -> None:
    turn.run("add a content after 10: " + "rain " * 700)
    assert len(turn.edits) == 2
    assert not turn.run("and " * 3_000).edits


def test_a_way_is_named_by_its_words_whole_or_by_the_beginning_that_only_it_has(turn: Turn) -> None:
    turn.run("add a choice after 10: Go / Go home / Stay")
    assert not turn.run("connect 11 to 7 on choice “G”").edits
    assert "slot 0 “Go”, slot 1 “Go home” or slot 2 “Stay”" in turn.text
    assert not turn.run("connect 11 to 7 on choice “Swim”").edits
    turn.run("connect 11 to 7 on choice “go”; connect 11 to 8 on choice “Go h”; connect 11 to 9 on choice “St”")
    assert {(11, 0, 7, 0), (11, 1, 8, 0), (11, 2, 9, 0)} <= turn.connections
    turn.run("disconnect 11 from 8 on choice “Go”")
    assert (11, 1, 8, 0) in turn.connections
    assert not turn.edits
    turn.run("disconnect 11 from 8 on choice “Go home”")
    assert (11, 1, 8, 0) not in turn.connections


@pytest.mark.parametrize(
    "message",
    ['Elena says "Who?" and Elena says "You." after 7', 'add a content "Rain." before 8 and add a content "Fog."',
     'after 7, add a content "Rain." and add a content "Fog."', "add a content after 7: Rain and then add a jump to 8",
     "add a content after 10: Rain, then add a content: Fog", 'Elena says "Who?" after 10, then Elena says "You."',
     "add a content after 7: Rain; then add a content: Fog", 'add 1 to gold after 7 and then add a content "Fog."',
     'add a content "Rain." after 10; add a content "Fog." after it and please add a content "Wind."'],
)  # fmt: skip
def test_a_place_that_may_be_meant_for_two_nodes_is_asked_for(turn: Turn, message: str) -> None:
    assert "only one has a place" in turn.run(message).text
    assert turn.not_done
    assert not turn.edits


def test_each_of_two_nodes_may_have_its_place(turn: Turn) -> None:
    turn.run('add a content "Rain." after 7 and add a content "Fog." after it')
    assert {(7, 0, 11, 0), (11, 0, 12, 0), (12, 0, 8, 0)} <= turn.connections


@pytest.mark.parametrize(
    "message",
    [
        "add a choice to 9: Feed the goat, leading to 7",
        "add a choice to 9: Feed the goat, then 7, please",
        "add a choice after 10: Go to bed -> 8 / Wind the clockwork, then 7",
        "add a choice after 10: Wind the clockwork, then 7 / Go to bed",
        "add a choice after 10: Go to bed see 8, Stay at 7",
        "add a choice after 10: Go to bed -> 8 / Wind the clockwork (7)",
        "add a choice after 10: Wind the clockwork (node 7) / Go to bed",
        "add a content after 10: Nobody is left, then it goes to 7 or 8",
        "Elena says: Look up. See node 7!",
    ],
)
def test_a_target_behind_a_text_is_no_part_of_it(turn: Turn, message: str) -> None:
    turn.run(message)
    assert turn.not_done
    assert "quotation marks" in turn.text
    assert not turn.edits


@pytest.mark.parametrize(
    "text", ["We meet at 99.", "Tomas is late. Tomas knows it.", "She waits for 7 years.", "Delete node 9."]
)
def test_a_text_that_names_nothing_of_the_story_needs_no_quotation_marks(turn: Turn, text: str) -> None:
    turn.run(f"add a content after 10: {text}")
    assert turn.story.nodes[11].texts == (text,)


def test_it_is_what_this_message_made_last_and_nothing_else(turn: Turn) -> None:
    turn.selected = (10,)
    for message in ("delete it", "change the text of it to: Hm",
                    "add a content after 10: Fog; create a character Odo; delete it"):  # fmt: skip
        assert "has not made a node" in turn.run(message).text, message
        assert not turn.edits
    turn.run("create a scene Hill; add a content after it: Fog; rename it to fog")
    assert turn.story.nodes[max(turn.story.nodes)].name == "fog"
    turn.run("create a scene Vale; rename it to Dune")
    assert [one.name for one in turn.story.scenes.values()] == ["Quay", "Hill", "Dune"]


def test_a_node_is_not_named_like_the_id_of_another(turn: Turn) -> None:
    assert "the id of another node" in turn.run("rename node 9 to 10").text
    assert not turn.edits


def test_a_name_of_megabytes_is_compared_in_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.local.resolver.fold", str.casefold)  # of which that is tested where it is
    elena = Character(3, "Ab " * 40_000, "", {}, "")
    tracemalloc.start()
    try:
        assert matching("ab", [elena]) == [elena]
        assert tracemalloc.get_traced_memory()[1] < 10 * len(elena.name)
    finally:
        tracemalloc.stop()


def test_of_long_outputs_the_beginning_is_compared(turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    """A letter may become eighteen, and a choice has up to 500,000."""
    assert turn.project is not None
    compared = Mock(wraps=slots.fold)
    monkeypatch.setattr(slots, "fold", compared)
    actions = [f"{start} {'so on ' * 300}" for start in ("Wait", "Go", "Sing")]
    data = {"actions": actions}
    made = turn.project.apply(Operation("create_insert_node", {"type": "interaction", "scene_id": 0, "preset": data}))
    (node_id,) = made.created

    turn.run(f"connect {node_id} to 9 on choice “{actions[1].strip()}”")

    assert (node_id, 1, 9, 0) in turn.connections
    lengths = [len(call.args[0]) for call in compared.call_args_list]
    assert max(lengths) <= 1_000
    assert len(lengths) == 1 + len(actions)


def test_what_the_steps_of_a_message_say_together_has_a_limit(turn: Turn) -> None:
    """To give one tag says all of a character's tags."""
    assert turn.project is not None
    turn.project.apply(Operation("create_character", {"name": "Ann", "tags": {"k": "x" * 99_000}}))
    assert "t = b" in turn.run("add tag t=b to Ann").text
    refused = turn.run("\n".join(f"add tag t{number}=b to Ann" for number in range(30)))
    assert "more than 2,000,000 characters" in refused.text
    assert not refused.calls


def test_what_can_be_read_in_very_many_ways_is_not_read(turn: Turn) -> None:
    """Its parser would be at 4,000 characters for minutes, and take gigabytes."""
    answer = turn.run("add a condition " + "by x " * 150)
    assert "did not understand" in answer.text
    assert not answer.calls


def test_forty_commands_are_read(turn: Turn) -> None:
    commands = "create a number variable called v{0}", "add a content: It rains, and the lamp of the pier goes out."
    answer = turn.run("\n".join(commands[number % 2].format(number) for number in range(40)))
    assert len(answer.calls) == 40
