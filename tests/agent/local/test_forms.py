"""Every form of docs/local.md does something on the sample, and so does every example that is ever suggested."""

import re
from functools import cache
from pathlib import Path

import pytest

from agent.local.examples import abilities, examples, nearest
from agent.local.steps import WordsMissing
from agent.turn.request import TurnContext
from arrow_project import ArrowProject, Node, Story, parse
from corpora.samples import SAMPLE
from tests.agent.local.turns import Turn, cited
from tests.arrow_project.conform.sequences import sequence
from tests.arrow_project.conform.starts import text_of

_GUIDE = (Path(__file__).parents[3] / "docs" / "local.md").read_text(encoding="utf-8")
FORMS = [line for block in re.findall(r"```text\n(.*?)```", _GUIDE, re.DOTALL) for line in block.splitlines()]
COMMANDS = [
    form
    for form in FORMS
    if (not form.endswith("?") and not form.startswith(("list", "describe", "check"))) or "; " in form
]
QUESTIONS = [form for form in FORMS if form not in COMMANDS]
ASKED = re.findall(r"`([^`]+)`", _GUIDE.partition("Where only the rest is missing")[2].partition("##")[0])
_FAILED = re.compile(r"Not done|did not understand|do not understand|do not seem|could not")

EMPTY = """{"title": "New", "entry": 1, "meta": {"authors": {"0": ["Writer", 1]}, "chapter": 0},
"resources": {"scenes": {"0": {"name": "First", "entry": 1, "map": {"1": {"offset": [100, 100]}}}},
"nodes": {"1": {"type": "entry", "name": "1", "data": {"plaque": ""}}}, "variables": {}, "characters": {}}}"""


@cache
def _sample() -> tuple[ArrowProject, str]:
    return parse(SAMPLE.arrow_file.read_bytes()), (SAMPLE.documents / "dialogues.txt").read_text(encoding="utf-8")


def sample() -> Turn:
    project, script = _sample()
    found = [cited(1, "dialogues.txt", script[:900])]
    return Turn(project.copy(), scene_id=20, selected=(30,), passages=found, texts={"dialogues.txt": script})


def test_the_guide_has_forms() -> None:
    assert len(COMMANDS) > 60
    assert len(QUESTIONS) > 20
    assert len(ASKED) == 5


@pytest.mark.parametrize("form", COMMANDS)
def test_every_command_of_the_guide_changes_the_story(form: str) -> None:
    turn = sample()
    before = turn.project.to_text() if turn.project else ""
    turn.run(form)
    assert not _FAILED.search(turn.text), turn.text
    assert turn.project is not None
    assert turn.project.to_text() != before


@pytest.mark.parametrize("form", QUESTIONS)
def test_every_question_of_the_guide_is_answered_from_the_story_and_changes_nothing(form: str) -> None:
    turn = sample().run(form)
    assert turn.text
    assert not _FAILED.search(turn.text), turn.text
    assert not turn.edits
    assert not any(call.tool == "search_documents" for call in turn.calls)


@pytest.mark.parametrize("form", ASKED)
def test_what_lacks_something_is_asked_for(form: str) -> None:
    turn = sample()
    try:
        turn.run(form)
    except WordsMissing:
        return
    assert [call.arguments.get("name") for call in turn.calls] == [None]


@pytest.mark.parametrize("form", [*COMMANDS, *QUESTIONS])
def test_a_form_with_a_word_too_many_changes_nothing(form: str) -> None:
    turn = sample()
    if ":" in form:
        return  # behind a colon any word belongs to the text
    for message in (f"{form.rstrip('?')} whatsoever and furthermore", f"perhaps {form}"):
        turn.run(message)
        assert not turn.edits, (message, turn.calls)


def stories(project: ArrowProject) -> dict[str, Turn]:
    return {
        "sample": sample(),
        "quay": Turn(project, scene_id=0),
        "empty": Turn(parse(EMPTY), scene_id=0),
        "nothing": Turn(None),
    }


def generated(seed: int) -> Turn:
    start, operations, _ = sequence(seed, 14)
    project = parse(text_of(start))
    project.apply_all(operations)
    return Turn(project, scene_id=max(Story(project).scenes))


@pytest.mark.parametrize("name", ["sample", "quay", "empty", 3, 8, 21, 34])
def test_every_example_can_be_done_on_the_open_story(project: ArrowProject, name: str | int) -> None:
    turn = stories(project)[name] if isinstance(name, str) else generated(name)
    text = turn.project.to_text() if turn.project else ""
    shown = examples(TurnContext(turn.project, turn.scene_id, (), (), (), ()))
    assert len(shown) >= 5
    for example in shown:
        turn.project = parse(text)
        turn.run(example)
        assert turn.text
        assert not turn.not_done, (example, turn.text)
        assert not _FAILED.search(turn.text), (example, turn.text)


def test_for_examples_no_selected_node_is_compared_with_all_the_others(
    project: ArrowProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = list[object]()

    def noted(_node: Node, other: object) -> bool:
        compared.append(other)
        return False

    monkeypatch.setattr(Node, "__eq__", noted)
    assert examples(TurnContext(project, None, tuple(Story(project).nodes), (), (), ()))
    assert not compared


def test_help_shows_examples_and_says_what_understands_more() -> None:
    turn = sample()
    context = TurnContext(turn.project, 20, (), (), (), ())
    assert all(example in abilities(context) for example in examples(context)[:5])
    assert "FLETCHER_MODEL" in abilities(context)
    assert "MCP" in abilities(context)
    assert "no project" not in abilities(TurnContext(None, None, (), (), (), ()))
    assert nearest("add a dialogue by Mina after 30", context).startswith("add a dialog by")
