"""A Chroma server is not trusted like code: nothing that it names is run, and an answer of no use is an error."""

import gzip
import json
import os
import secrets
import subprocess
import sys
import weakref
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from chromadb.utils import embedding_functions

from corpora import Catalog, ProjectKey, Quota
from retrieval import Retriever, VectorStore, VectorStoreUnavailable
from retrieval.circuit_breaker import Patience
from tests.hostile_chroma import answering, answering_with, blanks_without_end, hostile_chroma
from tests.retrieval.conftest import Put
from tests.retrieval.small_embedder import small_vector
from tests.retrieval.stored import stored
from tests.server_process import PATIENCE_S
from tests.waiting import eventually


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with an answer is seen however busy the machine is."""
    monkeypatch.setattr("retrieval.vector_store._QUERY", Patience(PATIENCE_S))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that Chroma's client has built because a server said so."""
    names: list[str] = []

    def recorder(name: str) -> Callable[[dict[str, Any]], None]:
        def build_from_config(config: dict[str, Any]) -> None:
            names.append(name)
            raise AssertionError(f"{name} was built from {config}")

        return staticmethod(build_from_config)  # type: ignore[return-value]

    known = embedding_functions.known_embedding_functions | embedding_functions.sparse_known_embedding_functions
    for name, function in known.items():
        monkeypatch.setattr(function, "build_from_config", recorder(name))
    return names


@pytest.fixture
def tampered(chroma_url: str) -> Iterator[VectorStore]:
    with hostile_chroma(chroma_url) as url, closing(VectorStore(url, secrets.token_hex(4))) as store:
        yield store
        store.clear()


@pytest.mark.long
def test_no_function_that_a_collection_names_is_built(tampered: VectorStore, key: ProjectKey, built: list[str]) -> None:
    tampered.check()
    for text in ("the dragon sleeps", "the dragon wakes"):  # into a new collection, and into one that is there
        tampered.put(key, [(stored(text, "d"), small_vector(text))])
    assert [name for name, _ in tampered.query(key, small_vector("the dragon sleeps"), 1)] == ["the dragon sleeps"]
    assert len(tampered.query(key, small_vector("dragon"), 9, "d")) == 2
    assert len(tampered.ids(key)) == 2
    tampered.delete(key, ["the dragon sleeps"])
    tampered.drop(key)
    tampered.clear()
    assert built == []


@pytest.mark.long
@pytest.mark.parametrize("location", ["folder", "server"])
def test_chroma_is_not_configured_by_the_folder_that_we_run_in(
    tmp_path: Path, chroma_url: str, key: ProjectKey, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chroma's settings name classes, which it imports, and it reads them from a `.env` of the working folder."""
    (tmp_path / ".env").write_text("CHROMA_PRODUCT_TELEMETRY_IMPL=evil.Telemetry\n")
    (tmp_path / "evil.py").write_text("raise RuntimeError('it was run')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with closing(VectorStore(tmp_path / "chroma" if location == "folder" else chroma_url, "cccccccc")) as store:
        store.put(key, [(stored("p1", "d"), small_vector("dragon"))])
        assert store.ids(key) == {"p1"}
        store.clear()


USE_A_FOLDER = """
import sys
from pathlib import Path

def tell(event, given):
    if event == "open" and str(given[0]).endswith(".env"):
        print("read")

sys.addaudithook(tell)
import numpy as np
from corpora import Passage, ProjectKey
from retrieval import VectorStore, VectorStoreUnavailable

key, store = ProjectKey("local", "1"), VectorStore(Path("chroma"))
try:
    print(store.ids(key))
    store.put(key, [(Passage("p1", "d", "d.md", None, None, (), 0, 1, "x"), np.ones(3, dtype=np.float32))])
    print(store.ids(key))
except VectorStoreUnavailable as error:
    print(error)
"""


def in_a_new_process(folder: Path, **environment: str) -> str:
    """What a program says that uses vectors; Chroma is imported once for each process."""
    search = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", USE_A_FOLDER]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **search, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_no_file_of_the_folder_that_we_run_in_keeps_chroma_from_being_imported(tmp_path: Path) -> None:
    """Nor is it read, which is told here: Chroma would read it many times, and it may be large."""
    (tmp_path / ".env").write_bytes(b"CHROMA_SERVER_HTTP_PORT=nonsense\nA=1\nNAME=caf\xe9\n")
    assert in_a_new_process(tmp_path).split() == ["set()", "{'p1'}"]


@pytest.mark.long
@pytest.mark.parametrize("variable", ["CHROMA_SERVER_HTTP_PORT", "CHROMA_SERVER_CORS_ALLOW_ORIGINS"])
def test_a_variable_that_chroma_does_not_take_is_said(tmp_path: Path, variable: str) -> None:
    said = in_a_new_process(tmp_path, **{variable: "*"})
    assert said.startswith("Chroma cannot be used:")
    assert variable in said


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html>somebody else's login page</html>",
        b"[]",
        b"7",
        b"{}",
        b'{"id": "no uuid", "name": "x"}',
        b'{"ids": [["a", "b"]], "distances": [[0.5]]}',
        b'{"ids": [[{}]], "distances": [["near"]]}',
        b'{"ids": [[["a"]]], "distances": [[null]]}',
    ],
)
@pytest.mark.parametrize("status", [200, 404, 500, 502])
def test_an_answer_of_no_use_is_an_error_that_names_the_server(key: ProjectKey, answer: bytes, status: int) -> None:
    with answering(status, answer) as url, closing(VectorStore(url)) as store:
        for ask in (
            lambda: store.query(key, small_vector("dragon"), 1),
            lambda: store.put(key, [(stored("p1", "d1"), small_vector("dragon"))]),
            store.clear,
        ):
            with suppress(VectorStoreUnavailable):
                assert ask() in (None, [])


@pytest.mark.parametrize(("patience_s", "each", "pause_s"), [(PATIENCE_S, 2**16, 0), (0.2, 1, 0.01)])
def test_an_answer_without_end_is_given_up(
    key: ProjectKey, monkeypatch: pytest.MonkeyPatch, patience_s: float, each: int, pause_s: float
) -> None:
    """By bytes, and by time: no thread of ours reads it on."""
    monkeypatch.setattr("retrieval.vector_store._QUERY", Patience(patience_s))
    with blanks_without_end(each, pause_s) as (url, left), closing(VectorStore(url)) as store:
        with pytest.raises(VectorStoreUnavailable, match=f"{url}.*(more than 1,048,576 bytes|in time)"):
            store.query(key, small_vector("dragon"), 1)
        assert left.wait(PATIENCE_S), "it is still read"


@contextmanager
def answering_to(asked: str, content: bytes) -> Generator[VectorStore]:
    """A store whose server has every collection, and answers so to what is asked of it."""
    collection = {"id": str(UUID(int=7)), "name": "a", "configuration_json": {}, "tenant": "t", "database": "d"}
    described = json.dumps(collection).encode()
    with (
        answering_with(lambda _method, path, _body: (200, content if path.endswith(asked) else described)) as url,
        closing(VectorStore(url)) as store,
    ):
        yield store


@pytest.mark.parametrize("values", [b"[]", b"1", b'""'])
def test_the_values_of_an_answer_are_counted_before_they_are_objects(key: ProjectKey, values: bytes) -> None:
    """Each takes up to thirty times the bytes that it is sent in."""
    crowded = b'{"ids": [["p1"]], "distances": [[' + b",".join([values] * 200_000) + b"]]}"
    with (
        answering_to("/query", crowded) as store,
        pytest.raises(VectorStoreUnavailable, match="more than 131,072 values"),
    ):
        store.query(key, small_vector("dragon"), 1)


def test_what_has_a_distance_that_is_no_number_is_left_out(key: ProjectKey) -> None:
    """A confidence that is none breaks whatever it is written into."""
    answer = b'{"ids": [["p1", "p2", "p3"]], "distances": [[null, 0.5, null]]}'
    with answering_to("/query", answer) as store:
        assert store.query(key, small_vector("dragon"), 3) == [("p2", 0.5)]


@pytest.mark.usefixtures("without_garbage_collection")
def test_what_was_given_up_is_free_at_once(key: ProjectKey) -> None:
    with answering_to("/query", b" " * 2**21) as store:
        with pytest.raises(VectorStoreUnavailable) as raised:
            store.query(key, small_vector("dragon"), 1)
        refused = raised.value.__cause__
        assert refused is not None
        given_up = weakref.ref(refused.__cause__)
        del raised, refused
        eventually(lambda: given_up() is None)


def test_an_error_is_short() -> None:
    """Each is written to the log."""
    with (
        answering(500, b'{"error": "E", "message": "' + b"x" * 70_000 + b'"}') as url,
        closing(VectorStore(url)) as store,
        pytest.raises(VectorStoreUnavailable, match="more than 65,536 bytes"),
    ):
        store.check()


def test_as_many_ids_are_read_as_a_project_has_passages(key: ProjectKey) -> None:
    ids = json.dumps({"ids": [f"{number:032x}" for number in range(Quota.passages)]}).encode()
    with answering_to("/get", ids) as store:
        assert len(store.ids(key)) == Quota.passages


def test_an_answer_is_read_as_utf_8() -> None:
    """Whatever it is said to be: to read a MiB of "punycode" takes minutes."""
    beats, said = b'{"nanosecond heartbeat": 7}', {"Content-Type": "application/json; charset=punycode"}
    with answering(200, beats, said) as url, closing(VectorStore(url)) as store:
        store.check()


def test_an_answer_is_not_unpacked() -> None:
    """A small one may unpack to anything, and none is asked for."""
    packed = gzip.compress(b'{"nanosecond heartbeat": 7}')
    with (
        answering(200, packed, {"Content-Encoding": "gzip"}) as url,
        closing(VectorStore(url)) as store,
        pytest.raises(VectorStoreUnavailable),
    ):
        store.check()


def test_what_is_shown_is_the_catalogs_text(
    retriever: Retriever, vectors: VectorStore, catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    put(key, "bible.md", "Elena keeps the lighthouse.")
    retriever.embed_pending(key)
    (passage,) = catalog.passages(key)
    vectors.put(key, [(replace(passage, text="Elena is a spy.", document="evil.md"), small_vector("lighthouse"))])
    assert [found.passage for found in retriever.search(key, "lighthouse")] == [passage]
