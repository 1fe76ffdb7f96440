"""Two workspaces with two projects each, of the same ids and with documents of the same names: nothing crosses over."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pymupdf
import pytest

from agent import TurnContext
from agent.reading.citations import Citations
from agent.reading.document_reading import ReadDocument, SearchDocuments, read_document, search_documents
from agent.reading.sources import Sources
from corpora import ProjectKey, part_ids
from ingest import Source
from retrieval import CorpusError
from retrieval.page_picture import page_picture
from server import Access
from tests.server.house import House, house

pytestmark = pytest.mark.long

SEED = 20251122
ROUNDS = 200  # a reading one has four requests: three hundred in all
TOKENS = {"ada's": "ada", "bo's": "bo"}
KEYS = [ProjectKey(workspace, project) for workspace in ("ada", "bo") for project in ("1", "2")]
# A word that every passage of one corpus has, and no other corpus.
MARKS: dict[ProjectKey, str] = dict(zip(KEYS, ("amberfall", "brineward", "cinderhay", "duskmere"), strict=True))
WORDS = re.findall(
    r"\w+",
    """
    lighthouse harbour oil barrels winter ice ferry bell rope guild ledger keeper daughter sea salt wagon iron heron
    debt letter flood granary tide noon hammer gold river valley smith capital spring lantern night road toll
    """,
)
SAME_EVERYWHERE = "The lamp burns nine barrels of oil in a winter, and the ledger of the guild says who paid for them."


@dataclass(frozen=True)
class Corpus:
    """What one project has, and what none of its answers may hold."""

    key: ProjectKey
    sources: tuple[Source, ...]
    passages: frozenset[str]
    names: frozenset[str]

    @property
    def mark(self) -> str:
        return MARKS[self.key]

    @property
    def foreign(self) -> set[str]:
        return set(MARKS.values()) - {self.mark}

    def assert_own(self, answer: object) -> None:
        """No word and no name of another corpus is in the answer, whatever it is."""
        told = repr(answer)
        assert not any(mark in told for mark in self.foreign), told

    def assert_own_passages(self, passages: list[dict[str, Any]]) -> None:
        self.assert_own(passages)
        assert {passage["id"] for passage in passages} <= self.passages
        assert {passage["document_id"] for passage in passages} <= {self.key.document_id(name) for name in self.names}
        assert {name for passage in passages for name in passage.get("also_in", ())} <= self.names


def sources(mark: str, chance: random.Random) -> tuple[Source, ...]:
    def text() -> str:
        return " ".join([mark, *chance.choices(WORDS, k=40)])

    with pymupdf.open() as document:
        for _ in range(3):
            document.new_page().insert_textbox((72, 72, 500, 700), text())
        pdf = document.tobytes()
    bible = "\n\n".join(f"# {chance.choice(WORDS)} {mark}\n\n{text()}" for _ in range(8))
    return (
        Source("bible.md", bible.encode()),
        Source("copy/bible.txt", bible.encode()),
        Source("map.pdf", pdf),
        Source("same.md", SAME_EVERYWHERE.encode()),
        Source(f"{mark}.md", text().encode()),
    )


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path / "data", access=Access(tokens=TOKENS)) as opened:
        yield opened


@pytest.fixture
def corpora(home: House) -> list[Corpus]:
    chance = random.Random(SEED)
    made: list[Corpus] = []
    for key, mark in MARKS.items():
        given = sources(mark, chance)
        report = home.ingestor.index(key, given)
        assert {document.status for document in report.documents} == {"indexed"}
        passages = frozenset(passage.id for passage in home.catalog.passages(key))
        made.append(Corpus(key, given, passages, frozenset(source.name for source in given)))
    assert len({passage for corpus in made for passage in corpus.passages}) == sum(len(one.passages) for one in made)
    return made


def question(chance: random.Random) -> str:
    """Words of all corpora, and often those that only one of them has."""
    return " ".join(chance.choices([*WORDS, *MARKS.values(), "bible", "same"], k=chance.randint(1, 6)))


def test_hundreds_of_random_requests_are_answered_from_their_own_corpus(home: House, corpora: list[Corpus]) -> None:
    chance = random.Random(SEED)
    found = 0
    with home.http(Authorization="Bearer ada's") as ada, home.http(Authorization="Bearer bo's") as bo:
        for number in range(ROUNDS):
            corpus, other = chance.sample(corpora, 2)
            http = ada if corpus.key.workspace == "ada" else bo
            kind = number % 10
            if kind < 5:
                found += searched(http, corpus, question(chance), None)
            elif kind == 5:
                found += searched(http, corpus, question(chance), chance.choice(sorted(corpus.names)))
            elif kind == 6:
                refused(http, corpus, other, chance)
            elif kind == 7:
                for cited in home.retriever.retrieve(corpus.key, question(chance), 1_000).passages:
                    corpus.assert_own(cited)
                    assert corpus.passages.issuperset(part_ids(cited.passage.id))
            elif kind == 8 or number % 50 != 9:
                read(home, corpus, other, chance)
            else:
                drawn(http, corpus, chance)
    assert found > 3 * ROUNDS


def searched(http: httpx.Client, corpus: Corpus, query: str, document: str | None) -> int:
    params = {"q": query, "k": "20"} | ({"document": document} if document else {})
    answer = http.get(f"/projects/{corpus.key.project_id}/search", params=params)
    assert answer.status_code == 200, answer.text
    passages = answer.json()["passages"]
    corpus.assert_own_passages(passages)
    return len(passages)


def refused(http: httpx.Client, corpus: Corpus, other: Corpus, chance: random.Random) -> None:
    """What belongs to another corpus is not there, by name or by id, and the answer does not give it away."""
    base = f"/projects/{corpus.key.project_id}"
    mark = MARKS[other.key]
    foreign_id = other.key.document_id(chance.choice(["bible.md", "map.pdf", f"{mark}.md"]))
    foreign_passage = chance.choice(sorted(other.passages))
    path, params = chance.choice(
        [
            (f"{base}/search", {"q": question(chance), "document": foreign_id}),
            (f"{base}/search", {"q": question(chance), "document": f"{mark}.md"}),
            (f"{base}/documents/{foreign_id}/pages/1.png", {}),
            (f"{base}/documents/map.pdf/pages/1.png", {"passage": foreign_passage}),
        ]
    )
    answer = http.get(path, params=params)
    assert answer.status_code == 404, (path, params, answer.text)
    corpus.assert_own(answer.text.replace(f"{mark}.md", ""))  # it repeats what was asked for


def read(home: House, corpus: Corpus, other: Corpus, chance: random.Random) -> None:
    """What the model is told by its tools."""
    sources = Sources(home.retriever, corpus.key, Citations([]), TurnContext(None, None, (), (), (), ()))
    corpus.assert_own(search_documents(sources, SearchDocuments(query=question(chance), document=None)))
    corpus.assert_own(read_document(sources, whole(chance.choice(sorted(corpus.names)))))
    corpus.assert_own(read_document(sources, whole("map.pdf").model_copy(update={"page_from": chance.randint(1, 3)})))
    with pytest.raises(CorpusError) as refusal:
        read_document(sources, whole(other.key.document_id("map.pdf")))
    corpus.assert_own(str(refusal.value))


def whole(document: str) -> ReadDocument:
    return ReadDocument(document=document, page_from=None, page_to=None, part=1)


def drawn(http: httpx.Client, corpus: Corpus, chance: random.Random) -> None:
    page = chance.randint(1, 3)
    answer = http.get(f"/projects/{corpus.key.project_id}/documents/map.pdf/pages/{page}.png")
    (own,) = (source.data for source in corpus.sources if source.name == "map.pdf")
    assert answer.content == page_picture(own, "pdf", page)
