import tracemalloc

import numpy as np
import pytest

from corpora import Catalog, Passage, ProjectKey
from retrieval.lexical_index import LexicalIndex
from tests.kept import kept_by
from tests.retrieval.conftest import Put


@pytest.fixture
def index(catalog: Catalog, key: ProjectKey, put: Put) -> LexicalIndex:
    put(key, "a.md", "The dragon sleeps under the mountain.", "Élan the smith forges a sword.")
    put(key, "b.md", "Żółw i smok, bajka dla dzieci.", "The dragon and the dragon slayer.")
    return LexicalIndex(2, catalog.passages(key))


def best(index: LexicalIndex, query: str) -> int:
    return int(np.argmax(index.scores(query)))


def test_the_passage_with_the_words_wins(index: LexicalIndex) -> None:
    assert best(index, "Who slays dragons?") == 3
    assert best(index, "swords") == 1


def test_diacritics_are_optional(index: LexicalIndex) -> None:
    assert best(index, "elan") == 1
    assert best(index, "zolw") == 2


@pytest.mark.parametrize("query", ["unicorn", "what is the", "…", "", "\0", "勇者"])
def test_words_that_nothing_has_score_nothing(index: LexicalIndex, query: str) -> None:
    assert not index.scores(query).any()
    assert index.idf_share(query, index.scores(query), index.scope(None)) == 0


def test_a_scope_is_a_document(index: LexicalIndex, key: ProjectKey) -> None:
    assert index.scope(key.document_id("b.md")).tolist() == [2, 3]
    assert index.scope(None).tolist() == [0, 1, 2, 3]
    assert index.scope("unknown").tolist() == []


def test_coverage_is_the_share_of_the_question_that_one_passage_has(index: LexicalIndex) -> None:
    def idf_share(query: str) -> float:
        return index.idf_share(query, index.scores(query), index.scope(None))

    assert idf_share("dragon mountain") == pytest.approx(1)
    assert idf_share("dragon sword") < 1  # both occur, but apart
    assert 0 < idf_share("dragon unicorn") < idf_share("dragon mountain sword")


def test_coverage_looks_at_the_scope_only(index: LexicalIndex, key: ProjectKey) -> None:
    scope = index.scope(key.document_id("b.md"))
    assert index.idf_share("mountain", index.scores("mountain"), scope) == 0


def test_an_index_that_follows_another_is_the_same_as_a_new_one(
    index: LexicalIndex, catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "The dragon wakes.", "Élan the smith forges a sword.")
    following, new = (LexicalIndex(3, catalog.passages(key), previous) for previous in (index, None))
    for query in ("dragon", "mountain", "wakes", "sword smith"):
        np.testing.assert_allclose(following.scores(query), new.scores(query), rtol=1e-5)
        assert following.idf_share(query, following.scores(query), following.scope(None)) == pytest.approx(
            new.idf_share(query, new.scores(query), new.scope(None))
        )


def test_an_index_forgets_the_words_of_what_was_removed(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    put(key, "a.md", "The dragon sleeps under the mountain.")
    index = LexicalIndex(1, catalog.passages(key))
    kept = index.vocabulary.tolist()
    for number in range(3):
        put(key, "b.md", *(f"word{number}x{word} dragon" for word in range(1000)))
        index = LexicalIndex(2, catalog.passages(key), index)
        assert len(index.vocabulary) == len(kept) + 1000
        assert index.scores(f"word{number}x7").any()
    catalog.remove_document(key, key.document_id("b.md"))
    index = LexicalIndex(3, catalog.passages(key), index)
    assert index.vocabulary.tolist() == kept
    assert len(kept) == len({"dragon", "sleep", "mountain"})
    np.testing.assert_allclose(
        index.scores("sleeping dragon"), LexicalIndex(3, catalog.passages(key)).scores("sleeping dragon")
    )


def test_words_that_occur_once_take_no_more_memory_than_a_quota_counts_for_their_passage() -> None:
    texts = [" ".join(f"{row:03}x{word}" for word in range(150)) for row in range(200)]
    passages = [Passage(f"{row:032}", "a", "a.txt", None, None, (), 0, 1, text) for row, text in enumerate(texts)]
    index = LexicalIndex(1, passages)
    assert index.scores("007x149").nonzero()[0].tolist() == [7]
    kept = kept_by(index, besides=passages)
    assert kept < 200 * 8_192
    assert kept / 2 < index.nbytes < 2 * kept


def test_what_is_found_in_other_documents_counts_as_well() -> None:
    texts = [" ".join(f"{row // 8:03}x{word}" for word in range(5)) for row in range(400)]
    passages = [Passage(f"{row:032}", f"{row}", "a.txt", None, None, (), 0, 1, text) for row, text in enumerate(texts)]
    index = LexicalIndex(1, passages)
    kept = kept_by(index, besides=passages)
    assert kept / 2 < index.nbytes < 2 * kept


def test_an_ideograph_takes_eight_bytes() -> None:
    texts = ["".join(chr(0x4E00 + row + place) for place in range(800)) for row in range(50)]
    passages = [Passage(f"{row:032}", "a", "a.txt", None, None, (), 0, 1, text) for row, text in enumerate(texts)]
    index = LexicalIndex(1, passages)
    assert index.scores("\u4e00").nonzero()[0].tolist() == [0]
    assert index.nbytes < 50 * (800 * 8 + 1_500)
    assert kept_by(index, besides=passages) < 2 * index.nbytes


def test_making_an_index_takes_little_more_memory_than_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("bm25", "lexical_index", "near_duplicates"):
        monkeypatch.setattr(f"retrieval.{module}._AT_ONCE", 20)
    texts = [" ".join(str(row // 150 * 5 + place * place % 5) for place in range(450)) for row in range(300)]
    passages = [
        Passage(f"{row:032}", f"{row // 150}", "a", None, None, (), 0, 1, text) for row, text in enumerate(texts)
    ]
    LexicalIndex(1, passages[:1])  # imports
    tracemalloc.start()
    index = LexicalIndex(1, passages)
    (_, most), _ = tracemalloc.get_traced_memory(), tracemalloc.stop()
    assert most < 2 * index.nbytes


def test_no_passages_and_passages_without_words(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    empty = LexicalIndex(1, [])
    assert empty.scores("dragon").tolist() == []
    assert empty.idf_share("dragon", empty.scores("dragon"), empty.scope(None)) == 0
    put(key, "dots.txt", "…", "the and of")
    assert LexicalIndex(1, catalog.passages(key)).scores("dragon").tolist() == [0, 0]
