from dataclasses import replace

from corpora import Passage
from retrieval.novelty import NoveltyFilter

TEXT = (
    "Elena is the daughter of the smith. She left the valley when the river froze, and she carries her "
    "father's hammer. Nobody in the capital knows her name, and she means to keep it so until spring."
)


def passage(text: str, document: str = "bible.docx", page: int | None = None) -> Passage:
    return Passage("id", document, document, page, page, (), 0, len(text), text)


def test_the_same_text_of_two_documents_is_shown_once() -> None:
    shown = NoveltyFilter()
    assert shown.adds(passage(TEXT))
    assert not shown.adds(passage(TEXT, "bible.pdf"))


def test_line_breaks_case_and_a_page_number_make_no_difference() -> None:
    shown = NoveltyFilter()
    shown.adds(passage(TEXT))
    extracted = passage(TEXT.replace(" ", "\n").upper() + "\n12", "bible.pdf", page=12)
    assert not shown.adds(extracted, ["bible.docx"])


def test_a_twin_that_is_cut_elsewhere_is_known_from_two_passages() -> None:
    shown, (first, second) = NoveltyFilter(), TEXT.split("She left ")
    shown.adds(passage(first + "She left"))
    shown.adds(passage("She left " + second))
    assert not shown.adds(passage(TEXT, "bible.pdf"))


def test_a_passage_that_says_more_is_shown() -> None:
    shown = NoveltyFilter()
    shown.adds(passage(TEXT))
    assert shown.adds(passage(TEXT + " Her brother Tomas waits at the northern gate with two horses.", "v2.docx"))


def test_what_is_known_to_four_fifths_is_known_and_what_is_less_is_new() -> None:
    five_runs = passage("Elena left the valley when it froze", "bible.pdf")
    shown = NoveltyFilter()
    shown.adds(passage("Elena left the valley when it"))
    assert not shown.adds(five_runs, ["bible.docx"]), "four of five"
    shown = NoveltyFilter()
    shown.adds(passage("Elena left the valley when"))
    assert shown.adds(five_runs, ["bible.docx"]), "three of five"


def test_sheets_of_one_form_are_about_several_people() -> None:
    shown = NoveltyFilter()
    for name in ("Osk", "Mina", "Jory"):
        assert shown.adds(passage(TEXT.replace("Elena", name), f"{name}.md"))
    assert not shown.adds(passage(TEXT.replace("Elena", "Mina"), "Mina.pdf"), ["Mina.md"])
    assert shown.adds(passage(TEXT, "Elena.pdf"), ["Elena.md"]), "what only others' sheets say is not said of Elena"


def test_under_another_heading_the_same_is_another_statement() -> None:
    shown = NoveltyFilter()
    for name in ("Osk", "Mina"):
        assert shown.adds(replace(passage(TEXT), heading=("Cast", name, "Status")))
    assert not shown.adds(replace(passage(TEXT), heading=("Cast", "Mina", "Status")))


def test_within_a_document_another_name_is_another_statement() -> None:
    shown = NoveltyFilter()
    for name in ("Osk", "Mina", "Jory"):
        assert shown.adds(passage(TEXT.replace("Elena", name)))
    assert not shown.adds(passage(TEXT.replace("Elena", "Mina")))
    assert not shown.adds(passage(TEXT.replace("Elena", "Mina"), "bible.pdf"))


def test_another_number_is_another_statement() -> None:
    shown, price = NoveltyFilter(), TEXT + " The hammer costs 10 gold."
    shown.adds(passage(price))
    assert shown.adds(passage(price.replace("10", "12"), "v2.docx"))


def test_short_passages_and_such_without_words() -> None:
    shown = NoveltyFilter()
    assert shown.adds(passage("Elena"))
    assert not shown.adds(passage("elena!"))
    assert shown.adds(passage("Tomas"))
    assert shown.adds(replace(passage("…"), document_id="other"))
