"""Questions about the story, answered from its graph."""

import json
import re
import tracemalloc
from typing import Any

import pytest

from arrow_project import Story, parse
from tests.agent.local.turns import Turn


@pytest.mark.parametrize(
    ("question", "has", "has_not"),
    [
        ("which nodes are dead ends?", ("9 (interaction", "“Wait”", "10 (content"), ("7 (content",)),
        ("Are there any dead ends?", ("9 (interaction",), ()),
        ("which nodes are unreachable?", ("10 (content",), ("7 (content", "9 (")),
        ("where does Elena speak?", ("8 (monolog",), ("7 (",)),
        ("who speaks in this scene?", ("Elena_Marsh: 8",), ("Tomas",)),
        ("what raises gold?", ("No nodes that raise “gold”.",), ()),
        ("what follows node 7?", ("8 (monolog",), ("9 (",)),
        ("what leads to node 9?", ("8 (monolog",), ("7 (",)),
        ("what can the player choose at 9?", ("Wait", "Walk home"), ()),
        ("how many nodes are there?", ("5 nodes",), ()),
        ("where does the story begin?", ("1 (entry)",), ()),
        ("what does gold start at?", ("starts at 3",), ()),
        ("which characters are there?", ("Elena_Marsh", "trust = high", "Tomas"), ()),
    ],
)
def test_the_graph_answers(turn: Turn, question: str, has: tuple[str, ...], has_not: tuple[str, ...]) -> None:
    turn.texts = {"bible.md": "Elena speaks of gold."}
    turn.run(question)
    assert all(one in turn.text for one in has), turn.text
    assert not any(one in turn.text for one in has_not), turn.text
    assert not turn.calls, "the documents are not asked"


def test_changes_of_a_variable(turn: Turn) -> None:
    turn.run("add 5 to gold after 10; subtract 2 from gold after it")
    assert "11 (variable_update" in turn.run("what raises gold?").text
    assert "12 (" not in turn.text
    assert "12 (variable_update" in turn.run("which nodes lower gold?").text
    assert "2 nodes that change “gold”" in turn.run("what changes gold?").text
    assert "2 nodes that use “gold”" in turn.run("where is gold used?").text


def test_who_is_not_in_the_story_is_looked_for_in_the_documents(turn: Turn) -> None:
    turn.texts = {"bible.md": "Odo says that the fog is late."}
    turn.run("what does Odo say?")
    assert [call.tool for call in turn.calls] == ["search_documents"]


def test_a_question_about_nodes_that_is_not_understood_is_not_sent_to_the_documents(turn: Turn) -> None:
    turn.texts = {"bible.md": "Node 7 of the railway."}
    turn.run("Which nodes are the prettiest?")
    assert not turn.calls
    assert "do not understand that question about the story" in turn.text


def test_what_raises_a_variable_adds_to_it(turn: Turn) -> None:
    turn.run("add 5 to gold after 10; subtract 2 from gold after it; add -3 to gold after it")
    turn.run("add a generator for gold between 1 and 6 after 13")
    assert re.findall(r"^- (\d+)", turn.run("what raises gold?").text, re.MULTILINE) == ["11"]
    assert re.findall(r"^- (\d+)", turn.run("what lowers gold?").text, re.MULTILINE) == ["12", "13"]
    assert "14 (" in turn.run("what changes gold?").text


def test_nodes_are_listed_with_their_scene(turn: Turn) -> None:
    assert "of “Elena_Marsh”, in “Quay”" in turn.run("in which scene does Elena speak?").text
    turn.run("create a scene Loft; add a monolog by Elena to scene Loft: Up here.")
    spoken = turn.run("which lines has Elena?").text.splitlines()
    assert [line.rpartition(", in ")[2] for line in spoken[1:]] == ["“Quay”", "“Loft”"]


def test_who_says_something_and_how_much_somebody_says(turn: Turn) -> None:
    turn.run('add a monolog by Elena after 10: "Take it!"')
    assert "monolog by Elena_Marsh" in turn.run("Who says 'Take it!'?").text
    assert "nodes of “Elena_Marsh”" in turn.run("how many lines does Elena have?").text


@pytest.mark.parametrize("question", ["where is the macro used?", "which nodes use silver?"])
def test_what_is_not_there_is_named(turn: Turn, question: str) -> None:
    assert "There is no “" in turn.run(question).text
    assert "“”" not in turn.text


def test_every_way_on_is_told(turn: Turn) -> None:
    turn.run("connect 9 to 10 on choice “Wait”; connect 9 to 10 on choice “Walk home”")
    assert turn.run("what follows node 9?").text.count("10 (content") == 2
    turn.run("add a jump to 7 after 10")
    assert "7 (content" in turn.run("what follows node 11?").text
    assert "11 (jump" in turn.run("what leads to node 7?").text


@pytest.mark.parametrize(
    ("question", "count"),
    [("which nodes are unreachable?", "1,001 nodes"), ("what leads to node 9?", "1,001 nodes")],
)
def test_of_very_many_those_that_are_told_are_put_into_words(
    turn: Turn, monkeypatch: pytest.MonkeyPatch, question: str, count: str
) -> None:
    assert turn.project is not None
    document, described = json.loads(turn.project.to_text()), list[int]()
    scene: dict[str, Any] = {"name": "A scene " * 1_000, "entry": 1000, "map": {}}
    document["resources"]["scenes"]["99"] = scene
    for key in range(1000, 2000):
        document["resources"]["nodes"][str(key)] = {"type": "jump", "name": "j", "data": {"target": 9}}
        scene["map"][str(key)] = {"offset": [0, 0]}
    turn.project = parse(json.dumps(document))
    describe = Story.describe

    def noted(story: Story, node_id: int) -> str:
        described.append(node_id)
        return describe(story, node_id)

    monkeypatch.setattr(Story, "describe", noted)
    tracemalloc.start()
    turn.run(question)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count.replace(",", "") in turn.text, turn.text
    assert "more" in turn.text
    assert len(described) < 70
    assert most < 5_000_000
