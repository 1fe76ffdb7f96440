from collections.abc import Collection, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora import Catalog, DocumentNotFound, ProjectKey, ProjectNotFound, joined_id
from corpora.documents import Documents
from retrieval import EmptyQuery, PassageNotFound, Retriever, VectorStore
from tests.retrieval.conftest import Put
from tests.retrieval.small_embedder import SmallEmbedder

BIBLE = (
    "Elena is the smith's daughter and carries a hammer of black iron.",
    "The capital lies on three hills; its northern gate is never opened.",
    "Tomas sells horses at the ford and owes money to everybody.",
    "The dragon under the mountain has slept for nine hundred years.",
)
QUESTS = (
    "Quest 1: wake the dragon. Reward: a silver key.",
    "Quest 2: find out who opened the northern gate.",
)


@pytest.fixture
def written(key: ProjectKey, put: Put) -> None:
    put(key, "bible.md", *BIBLE)
    put(key, "quests.md", *QUESTS)


@pytest.fixture
def embedded(written: None, retriever: Retriever, key: ProjectKey) -> None:
    retriever.embed_pending(key)


def texts(retriever: Retriever, key: ProjectKey, query: str, k: int = 8, document: str | None = None) -> list[str]:
    return [found.passage.text for found in retriever.search(key, query, k, document)]


@pytest.mark.usefixtures("written")
def test_before_there_are_vectors_bm25_answers_alone(
    retriever: Retriever, embedder: SmallEmbedder, key: ProjectKey
) -> None:
    found = texts(retriever, key, "Who sells horses?")
    assert found[0] == BIBLE[2]
    assert embedder.queries == []
    assert texts(retriever, key, "submarine") == []


@pytest.mark.usefixtures("embedded")
def test_with_vectors_both_arms_answer(retriever: Retriever, embedder: SmallEmbedder, key: ProjectKey) -> None:
    assert texts(retriever, key, "Who sells horses?")[0] == BIBLE[2]
    assert embedder.queries == ["Who sells horses?"]
    assert len(texts(retriever, key, "submarine", k=3)) == 3


@pytest.mark.usefixtures("embedded")
def test_scores_fall_and_k_counts_passages(retriever: Retriever, key: ProjectKey) -> None:
    found = retriever.search(key, "the dragon and the northern gate", k=4)
    scores = [one.score for one in found]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert len(retriever.search(key, "dragon", k=100)) == 6


@pytest.mark.usefixtures("embedded")
def test_a_document_can_be_named_or_identified(retriever: Retriever, key: ProjectKey) -> None:
    for document in ("quests.md", key.document_id("quests.md")):
        assert sorted(texts(retriever, key, "dragon", document=document)) == sorted(QUESTS)


@pytest.mark.usefixtures("embedded")
def test_in_a_long_document_those_are_near_that_are_so_in_the_project(
    retriever: Retriever, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chroma takes most of a second to sort out 50,000 passages, and everybody waits for whoever writes meanwhile."""
    within = list[str | None]()
    ask = VectorStore.query

    def query(store: VectorStore, key: ProjectKey, vector: Any, k: int, document_id: str | None = None) -> Any:
        within.append(document_id)
        return ask(store, key, vector, k, document_id)

    monkeypatch.setattr(VectorStore, "query", query)
    before = texts(retriever, key, "submarine", document="quests.md")
    monkeypatch.setattr("retrieval.ranking._LONG", 1)
    assert texts(retriever, key, "submarine", document="quests.md") == before
    assert sorted(before) == sorted(QUESTS)
    assert within == [key.document_id("quests.md"), None]


@pytest.mark.usefixtures("written")
@pytest.mark.usefixtures("written")
def test_a_store_that_names_passages_of_another_document_is_not_believed(
    retriever: Retriever, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(key, "zoo.md", "The wolves howl at night.")
    retriever.embed_pending(key)
    everywhere: Any = VectorStore.query
    monkeypatch.setattr(VectorStore, "query", lambda *given: everywhere(*given[:3], 10, None))
    found = retriever.search(key, "dragon", 5, document="zoo.md")
    assert {one.passage.document for one in found} == {"zoo.md"}


def test_vectors_that_are_half_made_are_used(retriever: Retriever, key: ProjectKey, put: Put) -> None:
    retriever.embed_pending(key)
    put(key, "new.md", "The lighthouse keeper collects shells.")
    retriever.refresh(key)
    assert texts(retriever, key, "Who collects shells?")[0] == "The lighthouse keeper collects shells."


@pytest.mark.usefixtures("embedded")
def test_what_is_written_is_found_and_what_is_removed_is_not(
    retriever: Retriever, catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    assert BIBLE[3] in texts(retriever, key, "dragon")
    put(key, "bible.md", *BIBLE[:3], "The dragon has been awake since Tuesday.")
    assert BIBLE[3] not in texts(retriever, key, "dragon")
    retriever.refresh(key)
    assert "The dragon has been awake since Tuesday." in texts(retriever, key, "dragon")
    catalog.remove_document(key, "bible.md")
    assert set(texts(retriever, key, "dragon")) <= set(QUESTS)


def test_the_same_text_in_two_documents_appears_once(retriever: Retriever, key: ProjectKey, put: Put) -> None:
    put(key, "bible.docx", *BIBLE)
    put(key, "bible.pdf", *[text.upper() for text in BIBLE], paged=True)
    for _ in ("without vectors", "with vectors"):
        found = [text.lower() for text in texts(retriever, key, "the dragon, the capital, Elena and Tomas")]
        assert sorted(found) == sorted(text.lower() for text in BIBLE)
        retriever.embed_pending(key)


def test_a_search_ends_where_very_many_passages_say_the_same(
    retriever: Retriever, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.retriever._MOST_REPETITIONS", 20)
    put(key, "log.txt", *["The keeper lights the lamp."] * 500, "The keeper lights the lamp and the ships come in.")
    looked_up = list[int]()
    passages_by_id = Documents.passages_by_id

    def counted(self: Documents, key: ProjectKey, ids: Collection[str]) -> dict[str, Any]:
        looked_up.append(len(ids))
        return passages_by_id(self, key, ids)

    monkeypatch.setattr(Documents, "passages_by_id", counted)
    assert texts(retriever, key, "keeper lamp", document="log.txt")[0] == "The keeper lights the lamp."
    assert sum(looked_up) < 100


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
@pytest.mark.usefixtures("written")
def test_an_empty_query_is_an_error(retriever: Retriever, key: ProjectKey, query: str) -> None:
    with pytest.raises(EmptyQuery, match="at least one word"):
        retriever.search(key, query)


def test_unknown_project_and_document(retriever: Retriever, key: ProjectKey, put: Put) -> None:
    with pytest.raises(ProjectNotFound):
        retriever.search(key, "dragon")
    with pytest.raises(ProjectNotFound):
        retriever.documents(key)
    put(key, "bible.md", *BIBLE)
    with pytest.raises(DocumentNotFound, match=r"bible\.md"):
        retriever.search(key, "dragon", document="bibel.md")


def test_a_project_whose_documents_are_all_gone(
    retriever: Retriever, catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    put(key, "bible.md", *BIBLE)
    catalog.remove_document(key, "bible.md")
    assert retriever.search(key, "dragon") == []
    assert retriever.documents(key) == []


@pytest.mark.usefixtures("embedded")
def test_retrieve_numbers_passages_within_the_budget(retriever: Retriever, key: ProjectKey) -> None:
    cited = retriever.retrieve(key, "the dragon and the northern gate", budget_tokens=50).passages
    assert [one.number for one in cited] == list(range(1, len(cited) + 1))
    assert 2 <= len(cited) < 6
    assert sum(len(one.passage.embedding_text) for one in cited) <= 200
    assert retriever.retrieve(key, "dragon", budget_tokens=3).passages == ()


def test_a_passage_that_is_too_long_makes_room_for_shorter_ones(
    retriever: Retriever, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon " * 300, "A dragon.")
    assert [one.passage.text for one in retriever.retrieve(key, "dragon", 50).passages] == ["A dragon."]


def test_documents_of_other_languages(retriever: Retriever, key: ProjectKey, put: Put) -> None:
    put(key, "pl.md", "Nazwa planety Korsarzy: Tortuga.", "Statek matka Unii to Dreadnought.")
    put(key, "ja.md", "勇者は剣を持っている。", "魔王は城に住む。")
    put(key, "ar.md", "التنين نائم تحت الجبل")
    for _ in ("without vectors", "with vectors"):
        assert texts(retriever, key, "Jaka jest nazwa planety?")[0] == "Nazwa planety Korsarzy: Tortuga."
        assert texts(retriever, key, "勇者の剣")[0] == "勇者は剣を持っている。"
        assert texts(retriever, key, "التنين")[0] == "التنين نائم تحت الجبل"
        retriever.embed_pending(key)


WORDS = st.sampled_from(["dragon", "sword", "river", "gate", "Elena", "hammer", "the", "of", "?", "…", "9", "勇"])
QUERIES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=QUERIES, k=st.integers(1, 9), owner=st.integers(0, 2), named=st.booleans())
def test_a_project_sees_its_own_passages_only(
    catalog: Catalog,
    retriever: Retriever,
    put: Put,
    query: str,
    k: int,
    owner: int,
    named: bool,
) -> None:
    keys = [ProjectKey("local", "1"), ProjectKey("local", "2"), ProjectKey("other", "1")]
    if not catalog.has_project(keys[0]):  # once for all examples
        for number, one in enumerate(keys):
            put(one, "bible.md", *[f"{text} World {number}." for text in BIBLE])
            put(one, "quests.md", *QUESTS)
            if number:
                retriever.embed_pending(one)
    key = keys[owner]
    own = {passage.id: passage for passage in catalog.passages(key)}
    found = [one.passage for one in retriever.search(key, query, k, "bible.md" if named else None)]
    assert len(found) <= k
    assert [own.get(passage.id) for passage in found] == found
    assert len({passage.id for passage in found}) == len(found)
    assert all(passage.document == "bible.md" for passage in found if named)


def test_a_price_that_was_changed_comes_before_the_one_of_the_older_draft(
    retriever: Retriever, key: ProjectKey, put: Put
) -> None:
    for newer, older in (("a.md", "b.md"), ("b.md", "a.md")):
        put(key, older, "The ferry costs 3 crowns.", "Written first." + older)
        put(key, newer, "The ferry costs 5 crowns.", "Written last." + newer)
        retriever.refresh(key)
        for _ in ("without vectors", "with vectors"):
            found = retriever.search(key, "What does the ferry cost in crowns?", 2)
            assert [one.passage.document for one in found] == [newer, older]
            retriever.embed_pending(key)


@pytest.mark.usefixtures("embedded")
def test_what_follows_each_other_is_cited_as_one(retriever: Retriever, catalog: Catalog, key: ProjectKey) -> None:
    cited = retriever.retrieve(key, "the dragon and the northern gate", budget_tokens=1000).passages
    for one in cited:
        whole = catalog.text(key, one.passage.document_id)
        assert whole[one.passage.char_from : one.passage.char_to] == one.passage.text
        marked = retriever.surroundings(key, one.passage.document_id, one.passage.id, 0)
        assert marked.text == one.passage.text, "what is cited is what its id stands for"
    assert {one.passage.text for one in cited} == {"\n".join(BIBLE), "\n".join(QUESTS)}


def test_what_lies_far_apart_is_no_passage(retriever: Retriever, key: ProjectKey, put: Put) -> None:
    document = put(key, "long.md", "The first line.", "word " * 1_000, "The last line.")
    first, *_, last = sorted(retriever.search(key, "line", 9), key=lambda one: one.passage.char_from)
    with pytest.raises(PassageNotFound):
        retriever.surroundings(key, document.id, joined_id([first.passage.id, last.passage.id]), 0)


@pytest.mark.usefixtures("embedded")
def test_no_document_is_read_whole_for_what_stands_in_it(
    retriever: Retriever, catalog: Catalog, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[int]()
    spans = catalog.spans

    def counted(key: ProjectKey, document_id: str, places: Sequence[tuple[int, int]]) -> list[str]:
        asked.append(sum(end - begin for begin, end in places))
        return spans(key, document_id, places)

    monkeypatch.setattr(catalog, "spans", counted)
    monkeypatch.delattr(Documents, "text")
    cited = retriever.retrieve(key, "the dragon and the northern gate", budget_tokens=1000).passages[0].passage
    retriever.surroundings(key, cited.document_id, cited.id, 3)
    assert len(asked) >= 3
    assert max(asked) < 2_000 + 2 * len(cited.text), "the longest that is joined, however long the document is"


def test_the_surroundings_say_in_which_document_to_look(retriever: Retriever, key: ProjectKey, put: Put) -> None:
    put(key, "harbour.md", "Oda and Brann mend nets at the harbour.", "The king was asleep.")
    put(key, "mountain.md", "Ilse and the raven Korb live on the mountain.", "The king was hunting.")
    for _ in ("without vectors", "with vectors"):
        for around, answer in (("harbour Oda Brann", "asleep"), ("mountain Ilse Korb", "hunting")):
            found = retriever.retrieve(key, "Where was the king?", 9, around).passages
            assert [one.passage.text for one in found] == [f"The king was {answer}."]
        assert retriever.retrieve(key, "raven", 50, "harbour Oda Brann").passages[0].passage.document == "mountain.md"
        retriever.embed_pending(key)


def test_all_who_ask_what_there_is_share_one_list_until_it_changes(
    retriever: Retriever, catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon")
    first = retriever.shared_documents(key)
    assert list(first) == retriever.documents(key)
    assert retriever.shared_documents(key) is first
    put(key, "b.md", "sword")
    second = retriever.shared_documents(key)
    assert [document.name for document in second] == ["a.md", "b.md"]
    assert second[0] is first[0]
    put(key, "a.md", "knight")
    assert retriever.shared_documents(key)[0] != first[0]
    with pytest.raises(ProjectNotFound):
        retriever.shared_documents(ProjectKey("local", "9"))
