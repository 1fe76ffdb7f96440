"""A project's passages that matter for a question: the front of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain, islice, repeat
from typing import NamedTuple
from weakref import WeakValueDictionary

from corpora import Catalog, CorpusError, Document, DocumentNotFound, OriginalStore, Page, Passage, ProjectKey, part_ids
from retrieval.adjacency import is_too_much, merge_adjacent
from retrieval.asked_for import SAYING, is_said
from retrieval.computing import comparing, computing, give_way
from retrieval.embedder import EmbeddingModel
from retrieval.errors import EmptyQuery, PassageNotFound
from retrieval.fusion import POOL
from retrieval.lexical_indexes import LexicalIndexes
from retrieval.novelty import NoveltyFilter
from retrieval.page_pictures import PagePainter, PagePictures, View
from retrieval.pages import require_page, wanted
from retrieval.ranking import LONGEST_QUESTION, Ranking
from retrieval.relevance import Relevance
from retrieval.reranker import RerankingModel, reranked
from retrieval.results import CitedPassage, RankedPassage, Retrieved, SearchAnswer, Surroundings
from retrieval.vector_store import VectorStore
from retrieval.vector_upkeep import EmbeddingProgress, VectorUpkeep

# English prose has about four characters to a token in all providers' tokenizers; to be exact would take one
# of them for each provider, and a budget need not be exact.
_CHARACTERS_PER_TOKEN = 4

# Ranked passages that are taken from the catalog at a time: first enough for a search, as each of them takes its time.
_LOOKED_UP_FIRST = 12
_LOOKED_UP = 32
_MOST_REPETITIONS = 3_000  # half a second's: a table may have a hundred thousand lines that say the same
_PASSAGES_PER_S = 1_000  # of those that are compared with
_LONGEST_ID = 200  # characters that are said again of what is no id


class _Found(NamedTuple):
    entries: Iterator[RankedPassage]
    confidence: float
    text_only: bool
    not_reranked: bool


class _SharedDocuments(list[Document]):
    """Of one version of the corpus; a plain list could not be referred to weakly."""

    def __init__(self, version: int, documents: list[Document]) -> None:
        super().__init__(documents)
        self.version = version


def _state(document: Document) -> tuple[object, ...]:
    """What differs once anything does; its pages may be very many."""
    return (
        document.name,
        document.sha256,
        document.embedded,
        document.updated_at,
        document.reader_version,
        document.ocr_languages,
    )


class Retriever:
    """Searches one project at a time; may be used from several threads.

    Where the passages have vectors, BM25 and vector similarity are fused; where they have none yet, BM25
    answers alone and neither torch nor Chroma is loaded. It answers alone as well where Chroma, or the model, is
    away. The originals and the painter are needed for page pictures only. With a `reranker`, the best passages are
    put into its order.
    """

    def __init__(
        self,
        catalog: Catalog,
        embedder: EmbeddingModel,
        vectors: VectorStore,
        originals: OriginalStore | None = None,
        reranker: RerankingModel | None = None,
        painter: PagePainter | None = None,
    ) -> None:
        self._catalog = catalog
        self._reranker = reranker
        self._vectors = vectors
        self._originals = originals
        self._painter = painter
        self._pictures = PagePictures()
        self._shared: WeakValueDictionary[ProjectKey, _SharedDocuments] = WeakValueDictionary()
        self._in_use: WeakValueDictionary[tuple[ProjectKey, str], Document] = WeakValueDictionary()
        self._indexes = LexicalIndexes(catalog)
        self._upkeep = VectorUpkeep(catalog, embedder, vectors)
        self._ranking = Ranking(catalog, embedder, vectors, self._indexes, self._upkeep)

    def search(self, key: ProjectKey, query: str, k: int = 8, document: str | None = None) -> list[RankedPassage]:
        """The `k` best passages of the project, or of one document given by name or id, best first.

        Text that stands in two documents appears once, with the names of both. Raises `EmptyQuery`, `ProjectNotFound`,
        `DocumentNotFound` and, when the vectors are another model's, `EmbeddingModelMismatch`.
        """
        with computing(key):
            return list(islice(self._ranked(key, query, document).entries, k))

    def answer(self, key: ProjectKey, query: str, k: int = 8, document: str | None = None) -> SearchAnswer:
        """As `search`, with what it could not look at: pages of the documents that it found, and the vectors."""
        with computing(key):
            ranked = self._ranked(key, query, document)
            found = list(islice(ranked.entries, k))
            wanted = {one.passage.document_id for one in found}
            if document is not None:
                wanted.add(self.document(key, document).id)
            unseen = self._catalog.pages_without_text(key, wanted)
            return SearchAnswer(query, tuple(found), unseen, ranked.confidence, ranked.text_only, ranked.not_reranked)

    def answer_any(
        self, key: ProjectKey, queries: Sequence[str], k: int = 8, document: str | None = None
    ) -> tuple[SearchAnswer, dict[str, Relevance]]:
        """The answers of one question in several words as one, and how relevant each was; raises as `search` does.

        Scores of each are standard deviations over what is usual for it, so a passage has the best that it got.
        """
        answers = [self.answer(key, query, k, document) for query in queries]
        best: dict[str, RankedPassage] = {}
        for one in sorted((one for answer in answers for one in answer.passages), key=lambda one: -one.score):
            best.setdefault(one.passage.id, one)
        surest = max(answers, key=lambda answer: answer.confidence)
        unseen = {name: pages for answer in answers for name, pages in answer.pages_without_text.items()}
        found = replace(
            surest,
            passages=tuple(best.values())[:k],
            pages_without_text=unseen,
            text_only=any(answer.text_only for answer in answers),
            not_reranked=any(answer.not_reranked for answer in answers),
        )
        return found, {answer.query: answer.relevance for answer in answers}

    def retrieve(self, key: ProjectKey, query: str, budget_tokens: int, surroundings: str = "") -> Retrieved:
        """The best passages that fit the budget together, numbered from 1; raises as `search` does.

        The words of the `surroundings`, such as the open scene's, say where to look, and not for what.
        A token is taken for four characters. A passage that is too long for what is left is passed over. Those that
        follow each other in a document become one, whose id names them all.
        """
        with computing(key):
            left, fitting = budget_tokens * _CHARACTERS_PER_TOKEN, list[RankedPassage]()
            found = self._ranked(key, query, None, surroundings)
            for ranked in islice(found.entries, POOL):
                if len(ranked.passage.embedding_text) <= left:
                    left -= len(ranked.passage.embedding_text)
                    fitting.append(ranked)

            def spans_of(document_id: str, places: Sequence[tuple[int, int]]) -> Sequence[str]:
                try:
                    return self._catalog.spans(key, document_id, places)
                except DocumentNotFound:  # removed meanwhile: its passages are shown as they were found
                    return ()

            numbered = enumerate(merge_adjacent(fitting, spans_of), start=1)
            cited = tuple(CitedPassage(number, one.passage, one.score, one.also_in) for number, one in numbered)
            return Retrieved(cited, found.confidence, found.text_only)

    def comparing(self, key: ProjectKey, beat: Callable[[], None]) -> AbstractContextManager[None]:
        """In the block, whoever compares with all documents computes as one of the workspace's searches does.

        One at a time of a workspace: `beat` is called while it waits for that, and what it raises gives up.
        """
        with computing(key):  # of 19,000 documents that is a second's
            passages = sum(document.passages for document in self._catalog.documents(key))
        return comparing(key, beat, passages / _PASSAGES_PER_S)

    def give_way(self) -> None:
        """In such a block, between two steps: whoever waits to search goes first."""
        give_way()

    def refresh(self, key: ProjectKey) -> None:
        """Make what was just written searchable at once; without it, that takes up to two seconds."""
        self._indexes.refresh(key)
        self._pictures.keep_only(key, self._catalog.sha256s(key, self._pictures.documents(key)))

    def embed_pending(self, key: ProjectKey, progress: EmbeddingProgress | None = None) -> int:
        """Give every passage its vector; returns how many had to be computed.

        `progress` hears done and total. Written batch by batch: killed at any moment, the next call does only
        what is left.
        """
        return self._upkeep.embed_pending(key, progress)

    def embed_if_free(self, key: ProjectKey, progress: EmbeddingProgress | None = None) -> bool:
        """As `embed_pending`, but waits for nobody; False if that is to be done again later.

        Somebody else makes vectors of this project, or writes a long document into it.
        """
        return self._upkeep.embed_if_free(key, progress)

    def forget_replaced(self, key: ProjectKey, beat: Callable[[], None] | None = None) -> None:
        """Take the vectors of passages that are gone from the catalog out of the vector store.

        `beat` is called again and again, each time after some are; what it raises leaves the rest.
        """
        self._upkeep.forget_replaced(key, beat)

    def repair(self, key: ProjectKey, beat: Callable[[], None] = lambda: None) -> bool:
        """Make the vector store equal to the catalog: for the start, after whatever happened.

        False if somebody makes vectors of this project just now, or writes a long document into it: then it is to be
        done again later.
        """
        return self._upkeep.repair(key, beat)

    def check_model(self) -> None:
        """Raise `EmbeddingModelMismatch` if the vectors were made by another model than the one in use."""
        self._upkeep.check_model()

    def check_vectors(self) -> None:
        """Raise `VectorStoreUnavailable` if the vectors cannot be asked just now."""
        self._vectors.check()

    def reindex(self, keys: Iterable[ProjectKey], progress: EmbeddingProgress | None = None) -> None:
        """Make all vectors anew with the model in use; other projects follow at `embed_pending`."""
        self._upkeep.reindex(keys, progress)

    def documents(self, key: ProjectKey) -> list[Document]:
        """The project's documents by name; raises `ProjectNotFound`."""
        with computing(key):  # the catalog counts what each of them has
            self._catalog.require_project(key)
            return self._catalog.documents(key)

    def shared_documents(self, key: ProjectKey) -> Sequence[Document]:
        """As `documents`, in one list for all who have it meanwhile; how many have vectors may be of before.

        Lists of several versions of the corpus have what did not change between them only once in memory.
        """
        version = self._catalog.corpus_version(key)
        known = self._shared.get(key)
        if known is None or known.version != version:
            documents = [self._shared_document(key, document) for document in self.documents(key)]
            known = self._shared[key] = _SharedDocuments(version, documents)
        return known

    def _shared_document(self, key: ProjectKey, document: Document) -> Document:
        known = self._in_use.get((key, document.id))
        if known is not None and _state(known) == _state(document):
            return known
        self._in_use[key, document.id] = document
        return document

    def document(self, key: ProjectKey, name_or_id: str) -> Document:
        """The document of that name or else of that id; raises `ProjectNotFound` and `DocumentNotFound`."""
        with computing(key):  # the catalog counts what it has
            return self._catalog.find_document(key, name_or_id)

    def read_pages(
        self,
        key: ProjectKey,
        document: str,
        page_from: int | None = None,
        page_to: int | None = None,
        characters: range | None = None,
    ) -> list[Page]:
        """Pages of a document given by name or id, both ends included; without numbers the whole document.

        Their texts have only those `characters`, counted from 0 over the texts of all these pages; no others are read.
        Raises `ProjectNotFound`, `DocumentNotFound`, `PageNotFound`, and `NoPages` when pages are asked for
        of a format that has none.
        """
        with computing(key):  # the catalog goes through all of the document's text
            found = self.document(key, document)
            return self._catalog.pages(key, found.id, wanted(found, page_from, page_to), characters)

    def passages_of_page(
        self, key: ProjectKey, document_id: str, page_number: int
    ) -> list[tuple[Passage, tuple[str, ...]]]:
        """The passages that stand on a page (from 1), each with the names of other documents that say the same.

        Raises `ProjectNotFound` and `DocumentNotFound`.
        """
        with computing(key):  # a page may have thousands
            document = self.document(key, document_id)
            near = self._indexes.current(key).near_duplicates
            passages = self._catalog.passages(key, document.id, page_number)
            return [(passage, near.also_in(passage.id)) for passage in passages]

    def surroundings(self, key: ProjectKey, document_id: str, passage_id: str | None, characters: int) -> Surroundings:
        """A passage with so many characters of its document on either side; without one, how the document begins.

        Raises `ProjectNotFound`, `DocumentNotFound` and `PassageNotFound`.
        """
        with computing(key):  # the catalog counts what a document has, and goes through all of its text
            document = self.document(key, document_id)
            passage = None if passage_id is None else self._passage_of(key, document, passage_id)
            begin, end = (passage.char_from, passage.char_to) if passage else (0, 0)
            places = [(max(0, begin - characters), begin), (begin, end), (end, end + characters)]
            return Surroundings(document.name, document.id, *self._catalog.spans(key, document.id, places))

    def page_picture(
        self,
        key: ProjectKey,
        document_id: str,
        page_number: int,
        passage_id: str | None = None,
        most_bytes: int | None = None,
    ) -> bytes:
        """A page (from 1) as PNG, with a passage highlighted; pictures are kept, a limited number of them.

        Where that has more than `most_bytes`, it is a JPEG, and smaller.

        Raises as `read_pages` does, `PassageNotFound`, and `PageNotDrawn` for a page that is too much for the painter.
        """
        with computing(key):  # as `surroundings`; others compute while it is drawn
            document = self.document(key, document_id)
            require_page(document, page_number)
            passage = None if passage_id is None else self._passage_of(key, document, passage_id)
        originals, painter, marked = self._originals, self._painter, passage.text if passage else ""
        if originals is None or painter is None:
            raise CorpusError("This retriever was made without originals or a painter, so it draws no pages.")

        def draw() -> bytes:
            return painter.draw(key, document, lambda: originals.get(document.sha256), page_number, marked, most_bytes)

        return self._pictures.get(View(key, document.sha256, page_number, marked, most_bytes), draw)

    def end(self) -> None:
        """Wait no longer for a vector store that hangs; vectors that are not written are at the next start."""
        self._vectors.end()

    def close(self) -> None:
        """Stop the threads that answer and build indexes, and let go of the vector store's files."""
        self._ranking.close()
        self._indexes.close()
        self._vectors.close()

    def _passage_of(self, key: ProjectKey, document: Document, passage_id: str) -> Passage:
        """The passage of an id, or those that were joined under it."""
        ids = set(part_ids(passage_id))
        found = sorted(self._catalog.passages_by_id(key, ids).values(), key=lambda passage: passage.char_from)
        is_here = len(found) == len(ids) and all(passage.document_id == document.id for passage in found)
        if not is_here or (len(found) > 1 and is_too_much(found[0], found[-1])):
            raise PassageNotFound(
                f"{document.name!r} has no passage {passage_id[:_LONGEST_ID]!r}: it may have changed since. "
                "Search again."
            )
        first, last = found[0], found[-1]
        if first is last:
            return first
        (text,) = self._catalog.spans(key, document.id, [(first.char_from, last.char_to)])
        return replace(first, id=passage_id, page_to=last.page_to, char_to=last.char_to, text=text)

    def _ranked(self, key: ProjectKey, query: str, document: str | None, surroundings: str = "") -> _Found:
        """What answers, best first, and what is known of the answer as a whole."""
        if not query.strip():
            raise EmptyQuery("The query is empty: give at least one word to search for.")
        document_id = None if document is None else self.document(key, document).id
        ranked = self._ranking.of(key, query, document_id, surroundings)
        found = self._found(key, ranked.entries, every_duplicate=document_id is not None)
        asked, model = query[:LONGEST_QUESTION], self._reranker
        entries, done = (found, True) if model is None else reranked(model, asked, found)
        first = list(islice(entries, SAYING))
        said = is_said(query, [one.passage for one in first])
        confidence = 0.0 if ranked.evidence is None else replace(ranked.evidence, is_said=said).confidence
        return _Found(chain(first, entries), confidence, ranked.text_only, not done)

    def _found(
        self, key: ProjectKey, ranking: Iterator[tuple[str, float]], *, every_duplicate: bool
    ) -> Iterator[RankedPassage]:
        """Without repetitions, of which so many end it; each passage is in the catalog when it is handed out."""
        near, shown = self._indexes.near_duplicates(key), NoveltyFilter()
        if not every_duplicate:  # of near-duplicates only one answers, unless the other was asked for
            ranking = (entry for entry in ranking if not near.is_repeated(entry[0]))
        lengths, repetitions = chain([_LOOKED_UP_FIRST], repeat(_LOOKED_UP)), 0
        while repetitions < _MOST_REPETITIONS and (some := dict(islice(ranking, next(lengths)))):
            passages = self._catalog.passages_by_id(key, some)
            for passage_id, score in some.items():
                also_in = near.also_in(passage_id)
                if passage_id in passages and (
                    shown.adds(passages[passage_id], also_in) or near.is_version(passage_id)
                ):
                    yield RankedPassage(passages[passage_id], score, also_in)
                else:
                    repetitions += 1
