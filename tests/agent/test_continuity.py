"""The check of a scene against the documents, on the sample project: planted errors are found, clean text is not."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from weakref import ref

import pytest

from agent.continuity import CheckContinuity, Discrepancy, DocumentTexts, check_continuity, check_scene, reading, render
from agent.continuity.naming import Vocabulary
from agent.reading.citations import Citations
from agent.reading.sources import NotThere, Sources
from agent.turn.request import TurnContext
from arrow_project import ArrowProject, GoOn, Operation, Story, parse
from corpora import Catalog, DataDirectory, ProjectKey, Shares
from corpora.samples import SAMPLE
from ingest import Ingestor, ReaderPool, scan
from retrieval import CitedPassage, Embedder, Retriever, VectorStore, content_terms, read_figures
from tests.agent.story import story_text

KEY = ProjectKey("local", "1")
KITCHEN = 20

# What is wrong, and the place in the documents that must be cited with it.
PLANTED = {
    "Odille sets the cup down.": ("name", "game-bible.pdf"),
    "I asked Jorry about the boat.": ("name", "dialogues.txt"),
    "They say that Sabet carts barley by day.": ("name", "dialogues.txt"),
    "We walked as far as Nether Quey.": ("name", "game-bible.pdf"),
    "The keeper is Odile Marack.": ("name", "game-bible.pdf"),
    "Osc has signed already.": ("name", "game-bible.pdf"),
    "Mena has to bring the order.": ("name", "quests.md"),
    "Cader Barrage has nine gates.": ("name", "game-bible.pdf"),
    "There are ninety steps up to the lantern.": ("fact", "game-bible.pdf"),
    "I have to deliver Closing Order 3318.": ("fact", "quests.md"),
    "The clockwork is wound with ninety turns of the crank.": ("fact", "game-bible.pdf"),
    "The page is behind prism 641.": ("fact", "game-bible.pdf"),
    "The Board grants 2,500 florins a year for oil.": ("fact", "quests.md"),
    "The Hotel Meridian has offered 7,000 florins for the Duchess.": ("fact", "game-bible.pdf"),
    "Osk is the postmaster of this town.": ("fact", "characters.docx"),
    "Sabeth is a baker.": ("fact", "characters.docx"),
    "Bursar is a donkey.": ("fact", "characters.docx"),
}

CLEAN = (
    "Mine is cold.",
    "Ask me again. Tell him I said so. Look at the well. Pull the door.",
    "Give me three minutes, and two cups.",
    "Odile looks up and says nothing.",
    "Jory is a good boy.",
    "I have waited here for ten minutes.",
    "Rooks! Bells! The Lord be with you, Madam.",
    "Mina is the inspector. Odile is the keeper of Pell Light.",
    "One hundred and seventeen steps, I counted.",
    "We were five at supper, and four of us were lying.",
    "Father said that in Spain they put oil on everything. Napoleon would not mind.",
    "God knows. Christmas is in two months. Monday, perhaps.",
    "There are two chairs, and one of them is taken.",
    "It's the third time that you ask me.",
    "In 1927 the Board pays 2,400 florins.",
)


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    """The sample's documents; text search only, as the check must work while vectors are made."""
    directory = DataDirectory(tmp_path_factory.mktemp("data"))
    with directory.own(), closing(Catalog(directory.catalog_url)) as catalog:
        vectors = VectorStore(directory.chroma_path)
        with (
            closing(Retriever(catalog, Embedder(), vectors, directory.originals)) as retriever,
            ReaderPool() as readers,
        ):
            Ingestor(catalog, directory.originals, retriever, readers).add(KEY, scan(SAMPLE.documents))
            retriever.refresh(KEY)
            yield retriever


@pytest.fixture(scope="module", autouse=True)
def reads_anew() -> Iterator[Callable[[Sources, GoOn], DocumentTexts]]:
    """The documents are read once for all checks, of which each would read them: that takes longer than its rest."""
    read, texts = reading._documents, list[DocumentTexts]()  # pyright: ignore[reportPrivateUsage]

    def once(sources: Sources, _: GoOn) -> DocumentTexts:
        if not texts:
            texts.append(read(sources, lambda: None))
        return texts[0]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reading, "_documents", once)
        yield read


@pytest.fixture
def story() -> ArrowProject:
    return parse(SAMPLE.arrow_file.read_bytes())


def check(retriever: Retriever, project: ArrowProject | None, scene_id: int | None) -> dict[str, object]:
    return check_continuity(sources(retriever, project), CheckContinuity.model_validate({"scene_id": scene_id}))


def sources(retriever: Retriever, project: ArrowProject | None) -> Sources:
    return Sources(retriever, KEY, Citations(()), TurnContext(project, None, (), (), (), ()))


def found_in(retriever: Retriever, project: ArrowProject, scene_id: int = KITCHEN) -> list[tuple[str, int, set[str]]]:
    report = check(retriever, project, scene_id)
    documents = {one["number"]: one["document"] for one in report["passages"]}  # type: ignore[union-attr]
    return [
        (one["kind"], one["node_id"], {documents[number] for number in one["passages"]})
        for one in report["findings"]  # type: ignore[union-attr]
    ]


def with_line(project: ArrowProject, text: str) -> int:
    preset = {"character": 6, "text": text}
    made = project.apply(Operation("create_insert_node", {"type": "monolog", "preset": preset, "scene_id": KITCHEN}))
    return made.created[0]


@pytest.mark.parametrize("text", PLANTED)
def test_a_planted_error_is_found_with_both_places(retriever: Retriever, story: ArrowProject, text: str) -> None:
    kind, document = PLANTED[text]
    node = with_line(story, text)
    [(found, at, documents)] = found_in(retriever, story)

    assert (found, at) == (kind, node)
    assert document in documents


@pytest.mark.parametrize("text", CLEAN)
def test_ordinary_words_raise_no_alarm(retriever: Retriever, story: ArrowProject, text: str) -> None:
    with_line(story, text)

    assert found_in(retriever, story) == []


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("The oil costs fifteen stivers the litre.", "fourteen stivers"),
        ("Fourteen of us pay. The oil costs fifteen stivers the litre.", "fourteen stivers"),
        ("In 1887 the parliament in Cadder voted to shut out the gulf.", "1885"),
        ("Odile was sworn in as keeper in 1901.", "1899"),
    ],
)
def test_the_number_of_the_same_thing_is_set_against_it(
    retriever: Retriever, story: ArrowProject, text: str, right: str
) -> None:
    with_line(story, text)

    assert f"the documents have “{right}”" in str(check(retriever, story, KITCHEN)["text"])


def test_the_sample_disagrees_once_where_its_readme_says_so(retriever: Retriever, story: ArrowProject) -> None:
    [(kind, node, documents)] = found_in(retriever, story, 0)

    assert (kind, node) == ("fact", 17)
    assert documents <= {"game-bible.pdf", "quests.md", "characters.docx"}
    assert found_in(retriever, story, KITCHEN) == []


def test_a_speaker_whom_nobody_knows_is_named(retriever: Retriever, story: ArrowProject) -> None:
    stranger = story.apply(Operation("create_character", {"name": "Zoltan"})).result["character_id"]
    preset = {"character": stranger, "lines": ["Good evening."], "playable": False}
    node = story.apply(
        Operation("create_insert_node", {"type": "dialog", "preset": preset, "scene_id": KITCHEN})
    ).created[0]
    [(kind, at, documents)] = found_in(retriever, story)

    assert (kind, at) == ("speaker", node)
    assert documents


def test_a_speaker_with_a_misspelled_name_is_set_right(retriever: Retriever, story: ArrowProject) -> None:
    story.apply(Operation("update_character", {"character_id": 7, "name": "Odille"}))
    report = check(retriever, story, KITCHEN)

    assert "Odille is spelled Odile" in str(report["text"])


def test_the_open_scene_is_checked_where_none_is_named(retriever: Retriever, story: ArrowProject) -> None:
    assert check(retriever, story, None)["scene_id"] == 0
    with pytest.raises(NotThere, match="20 “1 Dusk: The Kitchen”"):
        check(retriever, story, 999)
    with pytest.raises(NotThere):
        check(retriever, None, None)


def test_figures_are_read_with_what_they_count() -> None:
    def read(text: str) -> list[tuple[int, str, str]]:
        return [(figure.value, figure.kind, figure.noun) for figure in read_figures(text)]

    assert read("It's a hundred and twelve steps.") == [(112, "count", "step")]
    assert read("8,210 crossings, twenty-two carts") == [(8210, "count", "cross"), (22, "count", "cart")]
    assert read("the twenty-third step") == [(23, "place", "step")]
    assert read("Closing Order 3317 and Form 12") == [(3317, "label", "order"), (12, "label", "form")]
    assert read("on 3 November 1898") == [(3, "count", "novemb"), (1898, "year", "")]
    assert read("two thousand four hundred florins") == [(2400, "count", "florin")]
    assert read("It opens at 4.30, sixty per cent of it.") == [(60, "count", "cent")]


def test_only_names_are_near_a_name() -> None:
    words = Vocabulary(
        ["Then Mina met Osk at the gate. A lamp, said Mina, is a lamp. They asked Osk and the Marracks."]
    )

    assert words.nearest_name("Mima") == "Mina"
    assert words.nearest_name("Osc") == "Osk"
    assert words.nearest_name("Ask") is None
    assert words.nearest_name("Lamb") is None
    assert words.nearest_name("Marrack") is None
    assert words.knows("gate")
    assert not words.knows("Mima")


def written(*texts: str, scene_name: str = "Pier") -> Story:
    """A story whose nodes say these."""
    document = json.loads(story_text())
    nodes, scene = document["resources"]["nodes"], document["resources"]["scenes"]["0"]
    scene["name"] = scene_name
    for number, text in enumerate(texts, start=1000):
        nodes[str(number)] = {**nodes["3"], "name": str(number), "data": {**nodes["3"]["data"], "content": text}}
        scene["map"][str(number)] = {"offset": [number, 0]}
    return Story(parse(json.dumps(document)))


def asked_for(asked: list[str]) -> Callable[[str, int], tuple[CitedPassage, ...]]:
    return lambda query, _count: asked.append(query) or ()


def test_a_long_scene_is_looked_at_in_parts_that_say_so() -> None:
    story = written(*["Odile was born in Cadder."] * 1200, "x" * 100_001, *["long " * 12_000] * 2)
    asked: list[str] = []
    documents = DocumentTexts(lambda: ["Odile was born in Bray."], asked_for(asked))
    reports = [check_scene(story, 0, documents, part) for part in (1, 2, 3, 4)]
    assert [one.of_parts for one in reports] == [4] * 4
    assert [one.nodes for one in reports][:2] == [500, 500]
    assert sum(one.nodes for one in reports) == sum(bool(node.texts) for node in story.nodes_of(0)) - 1
    assert asked.count("Odile") == 1
    assert "check_continuity scene_id=0, part=2 goes on" in render(reports[0])
    assert "goes on" not in render(reports[-1])
    assert (reports[0].as_dict()["part"], reports[0].as_dict()["of_parts"]) == (1, 4)
    assert "more than 100,000 characters: 2200." in reports[0].as_dict()["cut"]
    with pytest.raises(NotThere, match="this scene has 4"):
        check_scene(story, 0, documents, 5)


def test_of_very_many_findings_the_first_are_told() -> None:
    story = written(*["There are ninety steps. We count eighty steps."] * 300)
    report = check_scene(story, 0, DocumentTexts(lambda: ["There are twelve steps up there."] * 3, asked_for([])))
    assert len(report.findings) == 200
    assert [one.node_id for one in report.findings] == sorted(one.node_id for one in report.findings)
    assert "more than these 200" in render(report)


def test_of_a_sentence_without_an_end_each_finding_shows_the_beginning() -> None:
    story = written("There are " + ", ".join(["Odille", "Odilee", "Oddile"]) + ", and so on" * 9_000)
    report = check_scene(story, 0, DocumentTexts(lambda: ["We saw Odile there.\n" * 3], asked_for([])))
    assert report.findings
    assert all(len(one.text) <= 300 for one in report.findings)


def test_of_a_long_name_the_beginning_is_compared_and_each_node_can_be_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    story, read, times = written("It is dark.", scene_name="pier " * 2_000), list[int](), count()

    def terms(text: str) -> frozenset[str]:
        read.append(len(text))
        return content_terms(text)

    def go_on() -> None:
        if next(times) == 40:
            raise KeyboardInterrupt

    monkeypatch.setattr("agent.continuity.checking.content_terms", terms)
    check_scene(story, 0, DocumentTexts(lambda: ["The pier is long."], asked_for([])))
    assert read
    assert max(read) < 5_000
    monkeypatch.setattr("agent.continuity.checking._speakers", lambda *_: ())
    with pytest.raises(KeyboardInterrupt):
        check_scene(
            written(*["it is dark."] * 50), 0, DocumentTexts(lambda: ["We saw Odile there."], asked_for([]), go_on)
        )


def test_a_long_text_of_a_document_is_read_in_pieces() -> None:
    steps: list[None] = []
    documents = DocumentTexts(lambda: ["Odile keeps it.\n" * 20_000], asked_for([]), lambda: steps.append(None))
    assert documents.vocabulary.knows("Odile")
    assert len(steps) == 4


def test_of_what_is_read_no_text_is_kept() -> None:
    class Text(str):
        """One that tells whether anybody has it."""

    read: list[ref[Text]] = []

    def texts() -> Iterator[str]:
        for number in range(9):
            text = Text(f"There are {number} steps. Nobody counts them.")
            read.append(ref(text))
            yield text
            del text
            assert sum(one() is not None for one in read) <= 1

    documents = DocumentTexts(texts, asked_for([]))
    assert documents.vocabulary.knows("nobody")
    assert [unit.text for unit, _ in documents.figures["count", "step"]] == [f"There are {n} steps." for n in range(9)]
    assert len(read) == 2 * 9
    assert not any(one() for one in read)


def test_a_clean_report_says_what_was_compared() -> None:
    from agent.continuity import Report

    assert "7 nodes" in render(Report(1, "Kitchen", 7, (), ()))
    assert "Node 3" in render(Report(1, "Kitchen", 7, (Discrepancy("name", 3, "Odille.", "…", ()),), ()))


def test_the_sample_is_where_the_tests_expect_it() -> None:
    assert Path(SAMPLE.documents, "dialogues.txt").is_file()


@pytest.mark.parametrize("at_once", [1, 2, 1_000])
def test_the_nearest_name_is_the_same_however_many_are_compared_at_once(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.continuity.naming._COMPARED_AT_ONCE", at_once)
    words = Vocabulary(["We saw Marbeck and Tolly, and then Marrack, and Marrick, and Dolly."])
    assert words.nearest_name("Marruck") == "Marrack"  # the first of two as near, and nearer than Marbeck
    assert words.nearest_name("Molly") == "Tolly"
    assert words.nearest_name("Margarita") is None


def test_what_is_longer_than_any_name_is_no_misspelt_one() -> None:
    """Comparing takes the square of it, and no other thread runs meanwhile."""
    words = Vocabulary([f"We saw Oskar and {'O' + 'x' * 59}."])
    assert words.nearest_name("Osker") == "Oskar"
    assert words.nearest_name("O" + "x" * 58 + "y") is None


@pytest.mark.parametrize(("limit", "most"), [("_MOST_FIGURES", 1), ("_MOST_CHARACTERS", 20)])
def test_of_very_many_figures_the_first_are_compared(monkeypatch: pytest.MonkeyPatch, limit: str, most: int) -> None:
    monkeypatch.setattr(f"agent.continuity.places.{limit}", most)
    texts = DocumentTexts(lambda: ["It has 12 steps. ", "It has 13 lamps."], lambda _query, _count: ())
    assert [figure.noun for found in texts.figures.values() for _, figure in found] == ["step"]


def test_so_much_text_is_compared_with(
    retriever: Retriever,
    story: ArrowProject,
    reads_anew: Callable[[Sources, GoOn], DocumentTexts],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "_documents", reads_anew)
    monkeypatch.setattr("agent.continuity.reading._MOST_CHARACTERS", 1_000)
    with pytest.raises(NotThere, match="more than 30,000,000 characters"):
        check(retriever, story, KITCHEN)


def test_a_workspace_has_one_check_at_a_time_and_others_need_not_wait_for_it(
    retriever: Retriever, story: ArrowProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has the words of all documents in memory."""
    checks = Shares(2, each=1)
    monkeypatch.setattr("retrieval.computing._comparisons", checks)

    def never() -> None:
        raise KeyError("nobody wants it any more")

    with checks.taken(KEY.workspace, lambda: None), pytest.raises(KeyError):
        check_continuity(sources(retriever, story), CheckContinuity(scene_id=KITCHEN, part=1), never)
    assert not checks.is_wanted()
    with checks.taken("another", lambda: None):
        assert check(retriever, story, KITCHEN)["findings"] == []


def test_the_letters_of_a_word_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.continuity.naming._MOST_LETTERS", 11)
    words = Vocabulary(["Oskar. Oskar. Oskar. We saw Oskar there."])
    assert words.nearest_name("Osker") == "Oskar"
    assert words.knows("Nobody"), "there may be more"


def test_of_very_many_words_none_is_unknown_that_may_be_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of a gigabyte of different words took ten times as much."""
    monkeypatch.setattr("agent.continuity.naming._MOST_WORDS", 3)
    words = Vocabulary(["We saw Oskar, and then", " Rayna and others. Oskar left."])
    assert words.nearest_name("Osker") == "Oskar"
    assert words.nearest_name("Rayna") is None
    assert words.knows("Nobody")
    assert not Vocabulary(["We saw"]).knows("Nobody")
    assert Vocabulary([f"We saw {'O' + 'x' * 59}."]).is_empty is False
    assert Vocabulary(["O" + "x" * 59]).is_empty
