from typing import Any

import pytest

from corpora import Catalog, DocumentNotFound, Originals, Passage, ProjectKey
from retrieval import NoPages, PageNotFound, PassageNotFound, Retriever
from retrieval.results import SearchAnswer
from tests.retrieval.conftest import Put
from tests.retrieval.test_near_duplicates import STORY


@pytest.fixture
def paged(key: ProjectKey, put: Put) -> None:
    put(key, "bible.pdf", "one", "two", "three", "four", paged=True)
    put(key, "notes.txt", "all the notes")


def numbers(retriever: Retriever, key: ProjectKey, page_from: int | None, page_to: int | None) -> list[int | None]:
    return [page.number for page in retriever.read_pages(key, "bible.pdf", page_from, page_to)]


@pytest.mark.usefixtures("paged")
@pytest.mark.parametrize(
    ("page_from", "page_to", "expected"),
    [
        (None, None, [1, 2, 3, 4]),
        (2, 3, [2, 3]),
        (2, None, [2]),
        (None, 2, [1, 2]),
        (3, 99, [3, 4]),
    ],
)
def test_pages_are_chosen_by_number(
    retriever: Retriever, key: ProjectKey, page_from: int | None, page_to: int | None, expected: list[int]
) -> None:
    assert numbers(retriever, key, page_from, page_to) == expected


@pytest.mark.usefixtures("paged")
@pytest.mark.parametrize(("page_from", "page_to"), [(0, None), (5, None), (-1, 2), (3, 2)])
def test_pages_that_are_not_there(retriever: Retriever, key: ProjectKey, page_from: int, page_to: int | None) -> None:
    with pytest.raises(PageNotFound):
        numbers(retriever, key, page_from, page_to)


@pytest.mark.usefixtures("paged")
def test_the_text_is_the_page(retriever: Retriever, key: ProjectKey) -> None:
    (page,) = retriever.read_pages(key, key.document_id("bible.pdf"), 3)
    assert page.text == "three"


@pytest.mark.usefixtures("paged")
def test_a_format_without_pages_is_read_whole(retriever: Retriever, key: ProjectKey) -> None:
    (page,) = retriever.read_pages(key, "notes.txt")
    assert page.number is None
    assert page.text == "all the notes\n"
    with pytest.raises(NoPages, match="whole document"):
        retriever.read_pages(key, "notes.txt", 1)
    with pytest.raises(NoPages):
        retriever.page_picture(key, "notes.txt", 1)


@pytest.mark.usefixtures("paged")
def test_pictures_of_what_is_not_there(retriever: Retriever, key: ProjectKey, put: Put, originals: Originals) -> None:
    with pytest.raises(DocumentNotFound):
        retriever.page_picture(key, "other.pdf", 1)
    with pytest.raises(PageNotFound, match="from 1 to 4"):
        retriever.page_picture(key, "bible.pdf", 5)
    with pytest.raises(PassageNotFound):
        retriever.page_picture(key, "bible.pdf", 1, "0" * 32)
    put(key, "other.pdf", "five", paged=True)
    foreign = retriever.search(key, "five")[0].passage.id
    with pytest.raises(PassageNotFound):
        retriever.page_picture(key, "bible.pdf", 1, foreign)


def test_a_page_has_its_passages_and_each_says_where_else_it_stands(
    retriever: Retriever, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(key, "bible.pdf", "The tower has no stairs.", STORY, paged=True)
    put(key, "bible.md", STORY)
    bible, given, passages = key.document_id("bible.pdf"), list[int](), Catalog.passages

    def counted(catalog: Catalog, *asked: Any) -> list[Passage]:
        found = passages(catalog, *asked)
        given.append(len(found))
        return found

    retriever.search(key, "tower")  # which takes all of them
    monkeypatch.setattr(Catalog, "passages", counted)
    ((first, alone),) = retriever.passages_of_page(key, bible, 1)
    ((second, also_in),) = retriever.passages_of_page(key, bible, 2)
    assert (first.text, alone) == ("The tower has no stairs.", ())
    assert (second.text, also_in) == (STORY, ("bible.md",))
    assert retriever.passages_of_page(key, bible, 3) == []
    assert given == [1, 1, 0], "of each page its own"


@pytest.mark.parametrize(("pages", "more"), [(100, {}), (5000, {"more_pages": 4900})])
def test_of_very_many_pages_that_were_not_searched_the_first_are_named(pages: int, more: dict[str, int]) -> None:
    answer = SearchAnswer("Where?", (), {"scan.pdf": range(1, pages + 1)})
    named = {"document": "scan.pdf", "pages": [*range(1, 101)]}
    assert answer.as_dict()["pages_without_text"] == [named | more]
