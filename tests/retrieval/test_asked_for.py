"""What a question asks for, and whether passages talk of such a thing."""

import pytest

from corpora import Passage
from retrieval.asked_for import is_said

TEXT = (
    "Elena keeps the lighthouse with her uncle Osk, who wears a coat. She burns three litres of oil a night. "
    "The tower was built in 1902."
)


def passage(text: str, *heading: str) -> Passage:
    return Passage("p", "d", "bible.md", None, None, heading, 0, len(text), text)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How old is Elena?", False),
        ("How many litres of oil does Elena burn?", True),
        ("How many lamps does Elena have?", False),
        ("What colour is Osk's coat?", False),
        ("What is the colour of Osk's coat?", False),
        ("What is Osk's coat colour?", False),
        ("Which colors are Osk's coats?", False),
        ("colour of Osk's coat", False),
        ("Do you know the colour of Osk's coat?", False),
        ("What happens to the square colour of a coat when Osk wears it?", True),
        ("Who chose the colour of the coat?", True),
        ("Who is Elena's mother?", False),
        ("Who is Elena's uncle?", True),
        ("In which year was the tower built?", True),
        ("Who keeps the lighthouse?", True),
        ("What's Elena afraid of?", True),
        ("Quel âge a Elena ?", True),
    ],
)
def test_a_question_for_a_number_a_colour_or_somebodys_something_needs_passages_that_have_one(
    question: str, said: bool
) -> None:
    assert is_said(question, [passage("Rain."), passage(TEXT)]) == said


def test_a_heading_says_what_its_passage_is_about() -> None:
    found = passage("Three on the first level, and two on the second.", "Enemies")
    assert is_said("How many enemies are there?", [found])
    assert not is_said("How many doors are there?", [found])


@pytest.mark.parametrize("age", ["34 years old", "20+ years", "aged 34", "thirty-four winters", "born in 1868"])
def test_an_age_is_told_in_many_ways(age: str) -> None:
    assert is_said("How old is Elena?", [passage(f"Elena, {age}, keeps the lighthouse.")])


def test_no_passage_says_anything() -> None:
    assert not is_said("How old is Elena?", [])
    assert is_said("Who keeps the lighthouse?", [])
