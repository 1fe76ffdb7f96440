"""Numbers for passages, and the places that an answer cites."""

from agent.reading.citations import Citations
from retrieval import CitedPassage, Passage


def passage(identity: str, page: int | None = None) -> Passage:
    return Passage(identity, "doc", "bible.pdf", page, page, ("People",), 0, 5, f"text of {identity}")


def shown() -> Citations:
    return Citations([CitedPassage(1, passage("a", 4), 0.9), CitedPassage(2, passage("b"), 0.5)])


def numbers(citations: Citations, *texts: str) -> list[int]:
    return [citation.number for citation in citations.cited_in(texts)]


def test_a_passage_keeps_its_number_and_a_new_one_gets_the_next() -> None:
    citations = shown()
    assert citations.number(passage("b"), 0.1).number == 2
    assert citations.number(passage("c"), 0.1).number == 3
    assert citations.number(passage("c"), 0.7).number == 3
    assert citations.number(passage("d"), 0.1).number == 4
    assert numbers(citations, "See [3].") == [3]


def test_only_numbers_that_were_given_count() -> None:
    assert numbers(shown(), "One [1], none [7], [0], [99999], [x].") == [1]


def test_every_way_to_write_several() -> None:
    assert numbers(shown(), "[2][1]") == [1, 2]
    assert numbers(shown(), "[1, 2]") == [1, 2]
    assert numbers(shown(), "[2,1]", "and [1]") == [1, 2]


def test_what_is_too_long_for_a_citation_is_none() -> None:
    """A story may say millions of numbers between brackets, each of which a pattern would keep."""
    assert numbers(shown(), f"[{'1, ' * 90}1]", f"[{'1,' * 1_000_000}", "[" * 1_000_000) == [1]
    assert numbers(shown(), f"[{'1, ' * 200}1]") == []


def test_a_range_and_a_page() -> None:
    assert numbers(shown(), "[1-2]") == [1, 2]
    assert numbers(shown(), "[1; 2]") == [1, 2]
    assert numbers(shown(), "[1, p. 2]") == [1]
    assert numbers(shown(), "[2, pages 1-7; 1]") == [1, 2]


def test_of_a_range_only_its_ends_are_looked_at() -> None:
    looked_for = list[object]()

    class Numbers(dict[int, CitedPassage]):
        def __contains__(self, number: object) -> bool:
            looked_for.append(number)
            return super().__contains__(number)

    citations = shown()
    citations._by_number = Numbers(citations._by_number)  # pyright: ignore[reportPrivateUsage]
    assert numbers(citations, "[1-9999]" * 1_000 + "[1-2]") == [1, 2]
    assert set(looked_for) == {1, 2, 9999}
    assert len(looked_for) <= 2_002


def test_a_connection_is_no_citation() -> None:
    assert numbers(shown(), "Removed the connection [27, 1, 29, 0].", "[0, 2]", "[1-9]", "[2-1]") == []


def test_text_without_citations_has_none() -> None:
    assert numbers(shown(), "", "1", "(1)", "[]", "[ 1 ]") == []


def test_a_citation_says_where() -> None:
    first, second = shown().cited_in(["[1] [2]"])
    assert first.place == "bible.pdf, page 4"
    assert second.place == "bible.pdf"
    assert (first.document_id, first.passage_id, first.page_from, first.page_to) == ("doc", "a", 4, 4)
    assert first.text == "text of a"


def test_a_citation_names_the_documents_that_say_the_same() -> None:
    citations = shown()
    number = citations.number(passage("c", 2), 0.1, ("bible.docx",)).number
    (cited,) = citations.cited_in([f"[{number}]"])
    assert (cited.place, cited.also_in) == ("bible.pdf, page 2", ("bible.docx",))


def test_the_first_passage_of_a_turn_that_showed_none_is_one() -> None:
    assert Citations(()).number(passage("a"), 0.1).number == 1


def test_a_citation_is_found_wherever_a_text_is_parted_to_be_looked_through() -> None:
    for place in range(99_990, 100_001):
        assert numbers(shown(), f"{'x' * place}[1, 2]") == [1, 2]
