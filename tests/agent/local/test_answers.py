"""Questions to the documents."""

import re

import pytest

from tests.agent.local.turns import CitedPassage, Passage, Turn

FERRY = (
    "The ferry runs twice a day. It stops at dusk, because nobody can see the rope. "
    "Mr. Odo Grane built it in 1874 for 300 florins. He never learnt to swim."
)
ELENA = "| | |\n|---|---|\n| Age | 34 |\n| Colour | red |\n\nElena keeps the lamp. She has a brother in Saltham."


@pytest.fixture
def turn(turn: Turn) -> Turn:
    turn.passages = [
        CitedPassage(3, Passage("bible.pdf", FERRY, ("The ferry",), 4, 5), 4.0),
        CitedPassage(5, Passage("characters.md", ELENA, ("Characters", "Elena Marsh")), 3.0),
    ]
    turn.texts = {"bible.pdf": FERRY, "characters.md": ELENA}
    return turn


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("When was the ferry built?", "“Mr. Odo Grane built it in 1874 for 300 florins.” [3]"),
        ("Why does the ferry stop at dusk?", "It stops at dusk, because nobody can see the rope.” [3]"),
        ("How old is Elena?", "Elena Marsh: “Age | 34” [5]"),
        ("what colour is Elena", "Elena Marsh: “Colour | red” [5]"),
        ("Who keeps the lamp?", "“Elena keeps the lamp.” [5]"),
        ("Tell me about Saltham", "“Elena keeps the lamp. She has a brother in Saltham.” [5]"),
        ("how often does the ferry run", "“The ferry runs twice a day.” [3]"),
    ],
)
def test_the_sentence_that_answers_is_quoted_with_its_number(turn: Turn, question: str, quote: str) -> None:
    turn.run(question)

    assert quote in turn.text
    assert not turn.edits


def test_every_quote_stands_in_its_passage(turn: Turn) -> None:
    turn.run("What do we know about Odo Grane?")

    quotes = re.findall(r"“(.+?)” \[(\d+)\]", turn.text)
    passages = {str(cited.number): cited.passage.text for cited in turn.passages}
    assert quotes
    assert all(text in passages[number] for text, number in quotes)


@pytest.mark.parametrize("question", ["Who is the dragon king?", "What is the capital of France?", "how many moons?"])
def test_what_the_documents_do_not_say_is_not_invented(turn: Turn, question: str) -> None:
    turn.run(question)

    assert turn.text.startswith("The documents do not seem to answer that.")
    assert "[" not in turn.text


def test_where_only_some_words_are_known_the_nearest_passages_are_named(turn: Turn) -> None:
    turn.run("Which brother of the emperor governs the moon from Mars?")

    assert "do not mention “emperor”, “governs”, “moon” or “Mars”." in turn.text
    nearest = turn.text.partition("Nearest in meaning:")[2]
    assert re.findall(r"\[(\d+)\]", nearest) == ["3", "5"]


def test_before_giving_up_the_documents_are_searched_in_other_words(turn: Turn) -> None:
    turn.run("Who is the dragon king?")

    assert [(call.tool, call.arguments) for call in turn.calls] == [("search_documents", {"query": "dragon king"})]


def test_a_partial_answer_is_said_to_be_one(turn: Turn) -> None:
    turn.run("Which brother built the lamp of the rope?")

    assert turn.text.startswith("The documents do not seem to answer that directly. The closest they come:")


def test_a_sentence_that_only_repeats_the_question_is_no_answer(turn: Turn) -> None:
    asks = "The player should find out who pays for the oil. The carters pay for the oil, one coin each."
    turn.passages = [CitedPassage(1, Passage("a.md", asks), 5.0)]
    turn.run("Who pays for the oil?")

    assert turn.text.startswith("“The carters pay for the oil, one coin each.” [1]")


def test_without_documents_that_is_said(turn: Turn) -> None:
    turn.passages, turn.texts = (), {}

    assert "no design documents yet" in turn.run("Who keeps the lamp?").text
