"""What a turn looks for in the documents."""

from agent.query import build_query
from agent.request import TurnContext
from arrow_project import Operation, parse
from corpora.samples import SAMPLE


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


def test_ids_that_are_not_there_are_passed_over() -> None:
    assert build_query("Hello", _context(selected_node_ids=(987654,), scene_id=987654)) == "Hello"
