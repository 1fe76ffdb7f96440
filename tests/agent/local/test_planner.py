"""The plan as a whole: which ability answers, and that no message breaks it."""

from contextlib import suppress

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.local import WordsMissing
from agent.local.commands import RULES
from arrow_project import OPERATIONS, ArrowProject
from tests.agent.local.test_script import PLAIN
from tests.agent.local.turns import CitedPassage, Passage, Turn


def test_a_slash_command_that_cannot_be_is_explained(turn: Turn) -> None:
    assert "JSON object" in turn.run('/create_variable {"name": }').text
    assert "JSON object" in turn.run("/create_scene {" + '"a":' * 9).text
    assert "no function “fly”" in turn.run("/fly {}").text
    assert "no function “fly”" in turn.run("/fly away").text
    assert not turn.calls


def test_help_is_given_when_asked_for(turn: Turn) -> None:
    assert turn.run("What can you do?").text.startswith("I work without a language model")


def test_endless_white_space_is_read_at_once(turn: Turn) -> None:
    turn.run(f"add{' ' * 5000}a{' ' * 5000}content: Hello")

    assert turn.edits == ["create_insert_node"]


def test_several_commands_are_done_in_order(turn: Turn) -> None:
    turn.run(
        "Please create a character Odo; add a monolog by Odo: Wait. I am coming. Add a content: He runs, "
        "then connect it to 10 and rename it to Chase\ndelete variable met"
    )

    assert turn.edits == [
        "create_character",
        "create_insert_node",
        "create_insert_node",
        "create_connection",
        "update_node",
        "delete_variable",
    ]
    assert turn.story.nodes[12].texts == ("Wait. I am coming.",)
    assert turn.story.nodes[13].name == "Chase"


def test_words_that_are_no_command_are_named_and_the_rest_is_done(turn: Turn) -> None:
    turn.run("delete node 10; make it all nicer; thanks!")

    assert turn.edits == ["delete_node"]
    assert "did not understand “make it all nicer”" in turn.text


def test_a_text_keeps_its_sentences_and_questions(turn: Turn) -> None:
    turn.run("add a monolog by Elena: Who are you? Set sail to the north. Then we will see; add nothing.")

    assert turn.edits == ["create_insert_node"]
    assert turn.story.nodes[11].texts == ("Who are you? Set sail to the north. Then we will see; add nothing.",)


def test_anything_else_is_answered_with_examples_that_work(turn: Turn) -> None:
    turn.run("make me a sandwich")
    examples = [line.removeprefix("- ") for line in turn.text.splitlines() if line.startswith("- ")]

    assert len(examples) == 3
    turn.run(examples[0])
    assert turn.edits == ["create_insert_node", "create_connection"]


def test_without_a_project_commands_are_refused_and_questions_answered() -> None:
    turn = Turn(None, passages=[CitedPassage(1, Passage("a.md", "The ferry is red."))], texts={"a.md": ""})

    assert "No Arrow project is open" in turn.run("add a content: Hello").text
    assert "“The ferry is red.” [1]" in turn.run("What colour is the ferry?").text or turn.text
    assert turn.run("").said


WORDS = sorted(
    {
        "add", "a", "the", "create", "delete", "rename", "connect", "to", "from", "after", "node", "7", "9", "dialog",
        "condition", "choice", "by", "Elena", "gold", ">=", "10", ":", "“x”", '"y"', "'", "slot", "1", "on", "true",
        ";", "then", "\n", "/", ".", "?", "set", "is", "scene", "Quay", "jump", "tag", "edit", "for", "=", "variable",
        "character", "named", "selected", "it", "build", "dialogue", "2", "this:", "*", "->", "who", "what", "where",
        "list", "variables", "change", "text", "of", "hub", "with", "inputs", "generator", "2d6", "between", "note",
        "(", ")", "#aabbcc", "color", "ELENA:", "\ue000", "-1", "99999999999999999999", "make", "entry", "project",
    }
)  # fmt: skip
MESSAGES = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join),
    st.text('/{}[]":,a1 ', max_size=20),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=MESSAGES)
def test_no_message_breaks_the_plan_or_calls_an_unknown_tool(project: ArrowProject, message: str) -> None:
    passages = [CitedPassage(1, Passage("script.txt", PLAIN))]
    turn = Turn(project.copy(), scene_id=0, selected_node_ids=(7,), passages=passages, texts={"script.txt": PLAIN})
    with suppress(WordsMissing):  # the user is asked for them
        turn.run(message)
        assert turn.said

    assert {call.tool for call in turn.calls} <= OPERATIONS.keys() | {"search_documents", "read_document"}


def test_every_rule_has_a_pattern_of_its_own() -> None:
    patterns = [rule.pattern.pattern for rule in RULES]

    assert len(patterns) == len(set(patterns))
