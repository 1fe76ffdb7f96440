"""What a turn looks for in the documents."""

from agent.query import build_query
from agent.request import Exchange, TurnContext
from arrow_project import Operation, parse
from corpora.samples import SAMPLE
from tests.agent.story import story


def _context(**fields: object) -> TurnContext:
    project = parse(SAMPLE.arrow_file.read_bytes())
    context = TurnContext(project, None, (), (), (), ())
    for name, value in fields.items():
        setattr(context, name, value)
    return context


def test_without_a_selection_it_is_the_message() -> None:
    assert build_query("Who keeps the bridge?", _context()) == "Who keeps the bridge?"
    assert build_query("Who keeps the bridge?", _context(project=None)) == "Who keeps the bridge?"


def test_who_speaks_and_what_is_said_in_the_selected_nodes_is_looked_for() -> None:
    context = _context()
    assert context.project is not None
    character = context.project.apply(Operation("create_character", {"name": "Odalys"})).result["character_id"]
    preset = {"character": character, "text": "The geese are mine."}
    made = context.project.apply(Operation("create_insert_node", {"type": "monolog", "preset": preset}))
    context.selected_node_ids = made.created
    query = build_query("Make her angrier", context)
    assert query.startswith("Make her angrier ")
    assert "Odalys" in query
    assert "The geese are mine." in query


def test_a_selection_never_drowns_the_message() -> None:
    context = _context()
    assert context.project is not None
    made = context.project.apply(
        Operation("create_insert_node", {"type": "content", "preset": {"content": "geese " * 1000}})
    )
    context.selected_node_ids = made.created
    assert len(build_query("Shorter, please", context)) < 700


def test_who_and_what_is_named_in_the_open_scene_is_looked_for() -> None:
    context = TurnContext(story(), 0, (), (), (), ())
    assert build_query("Make it colder", context) == "Make it colder harbour Elena"


def test_a_variable_that_a_text_shows_is_looked_for() -> None:
    project = story()
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": "{oil} barrels, {Elena.mood}"}}))
    assert build_query("Shorter", TurnContext(project, None, (3,), (), (), ())) == (
        "Shorter oil Elena {oil} barrels, {Elena.mood}"
    )


def test_a_short_message_is_joined_by_the_one_before_it() -> None:
    history = (Exchange("Who keeps the lamp?", "Elena [1]."), Exchange("", "Anything else?"))
    context = TurnContext(None, None, (), history, (), ())
    assert build_query("And why?", context) == "And why? Who keeps the lamp?"


def test_a_long_message_speaks_for_itself() -> None:
    message = "Tell me everything about the old ferry that the smugglers of the north used in winter"
    context = TurnContext(story(), 0, (), (Exchange("Who keeps the lamp?", "Elena."),), (), ())
    assert build_query(message, context) == message


def test_a_message_is_bounded() -> None:
    assert len(build_query("word " * 100_000, TurnContext(story(), 0, (2,), (), (), ()))) < 3_000


def test_ids_that_are_not_there_are_passed_over() -> None:
    assert build_query("Hello", _context(selected_node_ids=(987654,), scene_id=987654)) == "Hello"
