"""What a turn looks for in the documents."""

import json
import tracemalloc
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import pytest

from agent.prompt.query import Query, build_query
from agent.turn.request import Exchange, TurnContext
from arrow_project import Operation, parse
from corpora import Catalog, Originals, ProjectKey
from corpora.samples import SAMPLE
from ingest import Ingestor, ReaderPool, Source
from retrieval import Embedder, Retriever, VectorStore
from tests.agent.story import story, story_text


def _context(**fields: object) -> TurnContext:
    project = parse(SAMPLE.arrow_file.read_bytes())
    context = TurnContext(project, None, (), (), (), ())
    for name, value in fields.items():
        setattr(context, name, value)
    return context


def test_without_a_selection_it_is_the_message() -> None:
    for context in (_context(), _context(project=None)):
        assert build_query("Who keeps the bridge?", context) == Query("Who keeps the bridge?", "")


def test_who_speaks_and_what_is_said_in_the_selected_nodes_is_looked_for() -> None:
    context = _context()
    assert context.project is not None
    character = context.project.apply(Operation("create_character", {"name": "Odalys"})).result["character_id"]
    preset = {"character": character, "text": "The geese are mine."}
    made = context.project.apply(Operation("create_insert_node", {"type": "monolog", "preset": preset}))
    context.selected_node_ids = made.created
    query = build_query("Make her angrier", context).text
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
    assert len(build_query("Shorter, please", context).text) < 700


def test_who_and_what_is_named_in_the_open_scene_surrounds_it() -> None:
    context = TurnContext(story(), 0, (), (), (), ())
    assert build_query("Make it colder", context) == Query("Make it colder", "harbour Elena")
    assert build_query("", context) == Query("harbour Elena", "harbour Elena")


def test_a_variable_that_a_text_shows_is_looked_for() -> None:
    project = story()
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": "{oil} barrels, {Elena.mood}"}}))
    assert build_query("Shorter", TurnContext(project, None, (3,), (), (), ())).text == (
        "Shorter oil Elena {oil} barrels, {Elena.mood}"
    )


def test_a_short_message_is_joined_by_the_one_before_it() -> None:
    history = (Exchange("Who keeps the lamp?", "Elena [1]."), Exchange("", "Anything else?"))
    context = TurnContext(None, None, (), history, (), ())
    assert build_query("And why?", context).text == "And why? Who keeps the lamp?"


def test_a_long_message_speaks_for_itself() -> None:
    message = "Tell me everything about the old ferry that the smugglers of the north used in winter"
    context = TurnContext(story(), 0, (), (Exchange("Who keeps the lamp?", "Elena."),), (), ())
    assert build_query(message, context) == Query(message, "harbour Elena")


def test_a_message_is_bounded() -> None:
    query = build_query("word " * 100_000, TurnContext(story(), 0, (2,), (), (), ()))
    assert len(query.text) + len(query.open_scene) < 3_000


@pytest.mark.parametrize("selected", [(), range(1_000, 1_300)], ids=["open scene", "selection"])
def test_of_long_names_and_texts_the_beginnings_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, selected: Sequence[int]
) -> None:
    document, looked_at = json.loads(story_text()), list[int]()
    document["resources"]["characters"]["21"]["name"] = "Elena" * 2_000
    for key in range(1_000, 1_300):
        data = {"character": 21, "monolog": f"{{oil}} {key}"}
        document["resources"]["nodes"][str(key)] = {"type": "monolog", "name": "m", "data": data}
        document["resources"]["scenes"]["0"]["map"][str(key)] = {"offset": [0, 0]}
    document["resources"]["nodes"]["1000"]["data"]["monolog"] = "{oil}" * 100_000
    project = parse(json.dumps(document))

    def found(text: str) -> list[str]:
        looked_at.append(len(text))
        return []

    monkeypatch.setattr("agent.prompt.query._EXPOSED", SimpleNamespace(findall=found))
    tracemalloc.start()
    build_query("word " * 400_000, TurnContext(project, 0, tuple(selected), (), (), ()))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(looked_at) < 10_000
    assert most < 3_000_000


def test_ids_that_are_not_there_are_passed_over() -> None:
    assert build_query("Hello", _context(selected_node_ids=(987654,), scene_id=987654)) == Query("Hello", "")


STORIES = {
    "salt-mill.md": (
        "# The Salt Mill\n\nThe miller Tobias and his sister Wenna ground salt for the whole coast.\n\n"
        "One winter the king was at the harbour, counting the ships that had not come back.\n"
    ),
    "glass-mountain.md": (
        "# The Glass Mountain\n\nPrincess Ilse lived on the Glass Mountain, and the raven Korb brought her bread.\n\n"
        "All that time the king was hunting in the valley of reeds and heard nothing of it.\n"
    ),
    "three-tailors.md": (
        "# The Three Tailors\n\nThe tailors Fenn, Hob and Marte sewed a coat of smoke.\n\n"
        "The king was in the kitchen when they brought it, and laughed until he fell off the bench.\n"
    ),
}


STORIES_KEY = ProjectKey("local", "stories")


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    folder = tmp_path_factory.mktemp("stories")
    catalog, originals = Catalog(f"sqlite:///{folder / 'catalog'}"), Originals(folder / "originals")
    retriever = Retriever(catalog, Embedder(), VectorStore(folder / "chroma"), originals)
    with ReaderPool() as readers:
        sources = [Source(name, text.encode()) for name, text in STORIES.items()]
        Ingestor(catalog, originals, retriever, readers).index(STORIES_KEY, sources)
    yield retriever
    retriever.close()
    catalog.close()


@pytest.mark.parametrize(
    ("scene", "names", "answer"),
    [
        ("Glass Mountain", ("Ilse", "Korb"), "valley of reeds"),
        ("The salt mill", ("Tobias",), "at the harbour"),
        ("scene_4f", ("Fenn", "Marte"), "in the kitchen"),
    ],
)
def test_where_was_the_king_is_asked_of_the_story_that_is_open(
    retriever: Retriever, scene: str, names: tuple[str, ...], answer: str
) -> None:
    project = parse(SAMPLE.arrow_file.read_bytes())
    scene_id = project.apply(Operation("create_scene", {"name": scene})).result["scene_id"]
    for name in names:
        character = project.apply(Operation("create_character", {"name": name})).result["character_id"]
        preset = {"character": character, "text": "Hush."}
        arguments = {"type": "monolog", "preset": preset, "scene_id": scene_id}
        assert project.apply(Operation("create_insert_node", arguments)).created
    query = build_query("Where was the king?", TurnContext(project, scene_id, (), (), (), ()))
    assert query.text == "Where was the king?"
    best = retriever.retrieve(STORIES_KEY, query.text, 200, query.open_scene).passages[0]
    assert answer in best.passage.text
