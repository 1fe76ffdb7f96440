"""Questions to the documents."""

import re

import pytest

from tests.agent.local.turns import Turn, cited

FERRY = (
    "The ferry runs twice a day. It stops at dusk, because nobody can see the rope. "
    "Mr. Odo Grane built it in 1874 for 300 florins. He never learnt to swim."
)
ELENA = "| | |\n|---|---|\n| Age | 34 |\n| Colour | red |\n\nElena keeps the lamp. She has a brother in Saltham."


@pytest.fixture
def turn(turn: Turn) -> Turn:
    turn.passages = [
        cited(3, "bible.pdf", FERRY, ("The ferry",), 4, 4.0),
        cited(5, "characters.md", ELENA, ("Characters", "Elena Marsh"), None, 3.0),
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


def test_no_passage_stands_under_a_denial(turn: Turn) -> None:
    turn.run("Which brother of the emperor governs the moon from Mars?")

    assert "do not mention “emperor”, “governs”, “moon” or “Mars”." in turn.text
    assert "[" not in turn.text


def test_before_giving_up_the_documents_are_searched_in_other_words(turn: Turn) -> None:
    turn.run("Who is the dragon king?")

    assert [(call.tool, call.arguments) for call in turn.calls] == [("search_documents", {"query": "dragon king"})]


def test_a_partial_answer_is_said_to_be_one(turn: Turn) -> None:
    turn.run("Which brother built the lamp of the rope?")

    assert turn.text.startswith("I am not certain that this answers it:")


def test_a_sentence_that_only_repeats_the_question_is_no_answer(turn: Turn) -> None:
    asks = "The player should find out who pays for the oil. The carters pay for the oil, one coin each."
    turn.passages = [cited(1, "a.md", asks, (), None, 5.0)]
    turn.run("Who pays for the oil?")

    assert turn.text.startswith("“The carters pay for the oil, one coin each.” [1]")


def test_what_is_counted_stands_in_the_answer(turn: Turn) -> None:
    lamp = "The lamp is lit for a night by three hands. The need is eleven litres."
    assert "eleven litres" in quoted(turn, lamp, "How many litres does the lamp need for a night?")
    assert "three hands" not in turn.text


def test_a_quote_that_adds_nothing_is_none(turn: Turn) -> None:
    assert "“" not in quoted(turn, "* Walk on without a word", "What happens if she walks on without a word?")


def test_a_sentence_may_say_the_opposite_of_what_is_denied(turn: Turn) -> None:
    answer = quoted(turn, "Jory is afraid of the bell.", "Who is not afraid of the bell?")
    assert answer.startswith("I am not certain that this answers it:")


def test_without_documents_that_is_said(turn: Turn) -> None:
    turn.passages, turn.texts = (), {}

    assert "no design documents yet" in turn.run("Who keeps the lamp?").text


def quoted(turn: Turn, text: str, question: str, heading: tuple[str, ...] = ()) -> str:
    turn.passages = [cited(1, "a.md", text, heading)]
    return turn.run(question).text


def test_who_does_something_is_found_by_what_is_done(turn: Turn) -> None:
    assert "Odo is the keeper" in quoted(turn, "Odo is the keeper of the lamp. The lamp burns.", "Who keeps the lamp?")


def test_compare_is_no_word_to_look_for(turn: Turn) -> None:
    text = "The ferry is slow. The bridge is broken. The weather is fine."
    answer = quoted(turn, text, "Compare the ferry and the bridge")
    assert "ferry is slow" in answer
    assert "bridge is broken" in answer
    assert "Compare" not in answer


def test_a_list_comes_with_its_lead_sentence(turn: Turn) -> None:
    text = "The boat is old.\n\nThe boat lacks three things:\n\n- tar\n- nails\n- a name\n\nNobody sails."
    answer = quoted(turn, text, "What does the boat lack?")
    assert "The boat lacks three things:" in answer
    assert all(item in answer for item in ("tar", "nails", "a name"))
    assert "Nobody" not in answer


def test_an_attribute_that_is_asked_for_must_be_in_the_quote(turn: Turn) -> None:
    text = "Elena keeps old notes about the lamp. Elena is fond of old songs."
    assert "do not seem to answer" in quoted(turn, text, "How old is Elena?")
    assert "do not seem to answer" in quoted(turn, "Elena walks a lot.", "How many dogs does Elena walk?")
    assert "34 years old" in quoted(turn, f"{text} Elena is 34 years old.", "How old is Elena?")


def test_what_belongs_to_somebody_else_is_no_answer(turn: Turn) -> None:
    turn.passages = [
        cited(3, "people.md", "Old Rook found her, and it took his wife until noon.", ("Sabeth",), score=4.0),
        cited(4, "people.md", "He is nine. He has a brother in Saltham.", ("Jory",), score=3.0),
    ]
    assert "[3]" not in turn.run("Who is Jory's wife?").text
    assert "brother in Saltham" in turn.run("Where is Jory's brother?").text


def test_who_is_somebody_prefers_the_sentence_that_says_so(turn: Turn) -> None:
    text = "Everybody asks Odo for bread. Odo bakes, and Odo sings. Odo is the baker of the quay."
    assert quoted(turn, text, "Who is Odo?").startswith("“Odo is the baker of the quay.”")


def test_who_somebody_is_stands_below_their_own_name(turn: Turn) -> None:
    sheet = "Keeper of the lamp."
    turn.passages = [
        cited(1, "dialogues.txt", "MARSH: There is salt here.\n\nMarsh counts the coins.", ("The kitchen",), None, 5.0),
        cited(2, "characters.md", sheet, ("Characters", "Elena Marsh"), None, 1.0),
    ]
    assert turn.run("Who is Marsh?").text.startswith("Elena Marsh: “Keeper of the lamp.” [2]")
    assert "salt" not in turn.text


@pytest.mark.parametrize(
    "line",
    [
        "Endings 16 The ferry 16 The style 17",
        "The ferry ............ 12",
        "<<jump Ferry>>",
        "title: Ferry",
        "# The ferry",
        "THE FERRY",
    ],
)
def test_contents_titles_and_commands_are_no_quotes(turn: Turn, line: str) -> None:
    answer = quoted(turn, f"{line}\n\nThe ferry is late.", "What about the ferry?")
    assert line not in answer
    assert "The ferry is late." in answer
