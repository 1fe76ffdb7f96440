"""The sample project: its documents, its questions, its story, and that all of them say the same."""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from subprocess import run
from typing import Any

import pymupdf
import pytest
from docx import Document

from corpora.samples import SAMPLE
from corpora.samples.build import build

TEXT_PAGE = 2_500
BIBLE = "game-bible.pdf"
NAMES = {"characters.docx", "dialogues.txt", BIBLE, "quests.md", "variables-and-endings.md"}
FOLDER = SAMPLE.documents.parent


def questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE.questions.read_text(encoding="utf-8").splitlines()]


def spaced(text: str) -> str:
    return " ".join(text.split())


@cache
def pages(path: Path) -> tuple[str, ...]:
    """The pages of a document; a single one where the format has none."""
    if path.suffix == ".pdf":
        with pymupdf.open(path) as document:
            return tuple(spaced(str(page.get_text())) for page in document)
    if path.suffix == ".docx":
        document = Document(str(path))
        cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
        return (spaced(" ".join([*(paragraph.text for paragraph in document.paragraphs), *cells])),)
    return (path.read_text(encoding="utf-8"),)


# The documents


def test_the_documents_are_there_and_no_others() -> None:
    assert {path.name for path in SAMPLE.documents.iterdir()} == NAMES
    assert SAMPLE.arrow_file.is_file()


def test_together_they_are_a_small_game_bible() -> None:
    bible = pages(SAMPLE.documents / BIBLE)
    others = [pages(SAMPLE.documents / name)[0] for name in NAMES - {BIBLE}]
    assert 14 <= len(bible) <= 18
    assert len(bible) + sum(len(text) / TEXT_PAGE for text in others) >= 25
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 1_000_000


def test_the_bible_has_an_outline_and_page_numbers() -> None:
    with pymupdf.open(SAMPLE.documents / BIBLE) as document:
        outline = document.get_toc()
    text = pages(SAMPLE.documents / BIBLE)
    assert [title for level, title, _ in outline if level == 1][:2] == ["Contents", "The game on one page"]
    for _, title, page in outline:
        assert spaced(title.replace("'", "’")) in text[page - 1]
    assert all(re.search(rf"\b{number}\b", text[number - 1]) for number in range(2, len(text) + 1))


def test_the_bible_can_be_searched_letter_by_letter() -> None:
    text = "".join(pages(SAMPLE.documents / BIBLE))
    assert not re.search("[\ufb00-\ufb06\u200b\u200c\u00ad\ufffd]", text)


def test_one_paragraph_is_in_two_documents() -> None:
    paragraph = "Each dry pilot, on each crossing, drops one stiver through the slot marked LETTERS."
    assert sum(paragraph in text for text in pages(SAMPLE.documents / BIBLE)) == 1
    assert paragraph in pages(SAMPLE.documents / "quests.md")[0]


def test_nothing_names_the_place_where_it_was_made() -> None:
    for path in FOLDER.parent.rglob("*"):
        if path.suffix in (".py", ".md", ".txt", ".jsonl", ".arrow"):
            assert not re.search(r"/(work|tmp|home)\b", path.read_text(encoding="utf-8")), path


def test_a_second_build_says_the_same(tmp_path: Path) -> None:
    for made in build(tmp_path):
        assert pages(made) == pages(SAMPLE.documents / made.name)


# The questions


def test_there_are_thirty_questions_half_of_them_paraphrased() -> None:
    kinds = [question["kind"] for question in questions()]
    assert (kinds.count("plain"), kinds.count("paraphrased")) == (15, 15)
    assert len({question["id"] for question in questions()}) == 30


@pytest.mark.parametrize("question", questions(), ids=lambda question: question["id"])
def test_an_answer_is_where_the_question_says(question: dict[str, Any]) -> None:
    path = SAMPLE.documents / question["document"]
    found = [number for number, text in enumerate(pages(path), 1) if question["gold_text"] in text]
    assert found == [question["page"] or 1]
    assert pages(path)[found[0] - 1].count(question["gold_text"]) == 1
    if path.suffix in (".md", ".txt"):
        [[start, end]] = question["gold"]
        assert question["gold_text"] in pages(path)[0][start:end]
    else:
        assert question["gold"] is None


@pytest.mark.parametrize(
    "question", [each for each in questions() if each["kind"] == "paraphrased"], ids=lambda each: each["id"]
)
def test_a_paraphrase_shares_few_words_with_the_place(question: dict[str, Any]) -> None:
    def words(text: str) -> set[str]:
        return {word[:5] for word in re.findall(r"[a-z]{5,}", text.lower())} - {"which", "would"}

    assert len(words(question["question"]) & words(question["gold_text"])) <= 1


# The dialogues


@dataclass
class Dialogue:
    number: int
    title: str
    lines: list[str]

    @property
    def speakers(self) -> set[str]:
        return {found[1] for line in self.lines if (found := re.match(r" *([A-Z]+): ", line))}

    @property
    def choices(self) -> list[str]:
        return [line.removeprefix("* ") for line in self.lines if line.startswith("* ")]


def dialogues() -> Iterator[Dialogue]:
    text = (SAMPLE.documents / "dialogues.txt").read_text(encoding="utf-8")
    for part in text.split("\n\nDIALOGUE ")[1:]:
        head, *lines = part.strip().split("\n")
        number, title = head.split(": ", 1)
        yield Dialogue(int(number), title, lines)


def test_the_script_is_well_formed() -> None:
    script = list(dialogues())
    assert [dialogue.number for dialogue in script] == list(range(1, len(script) + 1))
    for dialogue in script:
        place, *lines = dialogue.lines
        assert dialogue.title == dialogue.title.upper()
        assert place.startswith("Place: ")
        assert re.match(r"[A-Z]+: ", lines[0])
        for before, line in pairwise(lines):
            assert re.fullmatch(r"(  )?[A-Z]+: \S.*\S|\* [A-Z].*[^.]", line), line
            if line.startswith(" "):
                assert before.startswith((" ", "* ")), line
            if before.startswith("* "):
                assert line.startswith("  "), f"nothing follows the choice {before!r}"


def test_the_script_keeps_the_bibles_own_rules() -> None:
    for dialogue in dialogues():
        assert all(len(choice.split()) <= 8 for choice in dialogue.choices)
        assert all(len(line.strip().split(": ", 1)[-1]) <= 240 for line in dialogue.lines)
        assert len(dialogue.choices) == 3


def test_the_request_names_a_dialogue_with_characters_that_the_story_lacks() -> None:
    [title] = re.findall('"(.+)"', SAMPLE.request)
    [dialogue] = [each for each in dialogues() if each.title == title.upper()]
    present = {character["name"].upper() for character in story()["resources"]["characters"].values()}
    assert dialogue.speakers & present == {"MINA"}
    assert dialogue.speakers - present == {"OSK", "SABETH"}


def test_the_question_is_answered_on_one_page_of_the_bible() -> None:
    fact = "they steer by the two flashes of Pell Light"
    assert [number for number, text in enumerate(pages(SAMPLE.documents / BIBLE), 1) if fact in text] == [6]


# The story


def story() -> dict[str, Any]:
    return json.loads(SAMPLE.arrow_file.read_text(encoding="utf-8"))


def arrow_text(value: Any, indent: str = "") -> str:
    """JSON as Arrow writes it: tabs, one element to a line, an empty line in an empty object."""
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if not value:
        return "[]" if isinstance(value, list) else "{\n\n" + indent + "}"
    inner = indent + "\t"
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + arrow_text(each, inner) for each in value) + "\n" + indent + "]"
    pairs = (f"{inner}{json.dumps(key)}: {arrow_text(each, inner)}" for key, each in value.items())
    return "{\n" + ",\n".join(pairs) + "\n" + indent + "}"


def test_the_story_is_written_as_arrow_writes() -> None:
    assert SAMPLE.arrow_file.read_bytes() == arrow_text(story()).encode()


def test_the_story_is_a_start_and_not_more() -> None:
    resources = story()["resources"]
    assert len(resources["scenes"]) == 2
    assert 12 <= len(resources["nodes"]) <= 20
    assert {node["type"] for node in resources["nodes"].values()} >= {
        *("entry", "content", "dialog", "monolog", "interaction"),
        *("condition", "variable_update", "marker", "jump", "hub"),
    }
    assert [each["name"] for each in resources["characters"].values()] == ["Mina", "Odile", "Jory", "Bursar"]


def test_uses_and_references_mirror_each_other() -> None:
    sets = story()["resources"]
    used = {
        (int(user), id_)
        for kind in ("scenes", "nodes", "variables", "characters")
        for id_, resource in ((int(key), each) for key, each in sets[kind].items())
        for user in resource.get("use", [])
    }
    referred = {(int(id_), ref) for id_, node in sets["nodes"].items() for ref in node.get("ref", [])}
    assert used == referred


def test_every_node_is_in_one_scene_and_reached_from_its_entry() -> None:
    sets = story()["resources"]
    places = [id_ for scene in sets["scenes"].values() for id_ in scene["map"]]
    assert sorted(places) == sorted(sets["nodes"])
    for scene in sets["scenes"].values():
        links = [link for place in scene["map"].values() for link in place.get("io", [])]
        assert len({tuple(link[:2]) for link in links}) == len(links)
        assert {link[2] for link in links} == {int(id_) for id_ in scene["map"]} - {scene["entry"]}


def test_the_variables_are_those_of_the_notes() -> None:
    notes = pages(SAMPLE.documents / "variables-and-endings.md")[0]
    for variable in story()["resources"]["variables"].values():
        start = str(variable["init"]).lower()
        assert f"| `{variable['name']}` | {variable['type']} | {start} |" in notes


def test_the_story_contradicts_the_documents_once() -> None:
    assert "a hundred and twelve steps" in SAMPLE.arrow_file.read_text(encoding="utf-8")
    assert not any("and twelve steps" in page for name in NAMES for page in pages(SAMPLE.documents / name))


# The module


def test_naming_the_sample_loads_nothing_heavy() -> None:
    heavy = "{'pymupdf', 'docx', 'markdown_it'} & set(sys.modules)"
    probe = f"import sys, corpora.samples; sys.exit(', '.join({heavy}) or 0)"
    assert run([sys.executable, "-c", probe], capture_output=True, text=True, check=False).stderr == ""
