"""kill -9 at random moments of ingest, sync and remove: python -m tests.ingest.kills [TIMES] [--servers [URL URL]]

Each time a process does one of the three to a project and is killed at a random moment. Then another process looks at
what is there: every document is whole or absent, search returns nothing that is gone, Chroma and catalog agree. It does
the same again, and then everything must be as it was meant to be.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from sqlalchemy import create_engine

from corpora import DocumentNotFound, ManifestEntry, ProjectKey
from ingest import Source
from tests.chroma_server import running_chroma
from tests.ingest.conftest import Pipeline, pipeline_in, pipeline_on
from tests.postgresql import running_postgresql

OpenPipeline = Callable[[], AbstractContextManager[Pipeline]]

KEY, OTHER = ProjectKey("local", "1"), ProjectKey("local", "untouched")
NAMES = [f"{name}.md" for name in ("anna", "boris", "clara", "dora", "emil", "frida", "gustav", "hedda")]
_SECTIONS = int(os.environ.get("KILLS_SECTIONS", "30"))


def chapter(name: str, version: int) -> str:
    """A document whose every version has a word of its own, and most of its passages in common with the others."""
    word = f"v{version}of{name.removesuffix('.md')}"
    changed = version % _SECTIONS
    return "".join(
        f"# Part {part} of {name}\n\nIn part {part} {name} sails on{f' with {word}' if part == changed else ''}.\n\n"
        for part in range(_SECTIONS)
    )


@dataclass(frozen=True)
class Operation:
    """What is done to the project: `documents` are given, or removed; all as versions by name."""

    kind: str
    documents: dict[str, int]

    def on(self, known: dict[str, int]) -> dict[str, int]:
        """What the project has when it is done."""
        if self.kind == "remove":
            return {name: version for name, version in known.items() if name not in self.documents}
        return self.documents if self.kind == "sync" else known | self.documents

    def do(self, pipeline: Pipeline) -> None:
        if self.kind == "remove":
            for name in self.documents:
                try:
                    pipeline.ingestor.remove(KEY, name)
                except DocumentNotFound:
                    continue  # removed before the kill
        else:
            sources = [Source(name, chapter(name, version).encode()) for name, version in self.documents.items()]
            pipeline.ingestor.index(KEY, sources, replace=self.kind == "sync")


def an_operation(chance: random.Random, known: dict[str, int], version: int) -> Operation:
    kind = chance.choice(["ingest", "sync", "remove"] if len(known) > 2 else ["ingest"])
    some = chance.sample(NAMES, chance.randint(2, 5))
    if kind == "remove":
        return Operation(kind, {name: known[name] for name in some if name in known} or dict([*known.items()][:1]))
    kept = {name: known[name] for name in chance.sample(sorted(known), len(known) // 2)}
    return Operation(kind, kept | dict.fromkeys(some, version))


def assert_whole(pipeline: Pipeline, before: dict[str, int], after: dict[str, int]) -> None:
    """Right after the kill: each document is as before or as meant, and what the stores lack or keep is known."""
    passages, known = {}, {}
    for document in pipeline.catalog.documents(KEY):
        text = pipeline.catalog.text(KEY, document.id)
        versions = {these[document.name] for these in (before, after) if document.name in these}
        known[document.name] = next(version for version in versions if chapter(document.name, version) == text)
        assert pipeline.originals.get(document.sha256).decode() == text
        assert "".join(page.text for page in pipeline.catalog.pages(KEY, document.id)) == text
        own = pipeline.catalog.passages(KEY, document.id)
        assert len(own) == document.passages > 0
        assert all(text[passage.char_from : passage.char_to] == passage.text for passage in own)
        passages |= {passage.id: passage for passage in own}
    untouched = before.keys() & {name for name, version in after.items() if before.get(name) == version}
    assert untouched <= known.keys(), "what nobody touched is there"
    stored, marked = pipeline.vectors.ids(KEY), pipeline.catalog.passage_ids(KEY)
    assert {passage for passage, embedded in marked.items() if embedded} <= stored
    assert stored <= passages.keys() | set(pipeline.catalog.replaced_passages(KEY))
    assert_found(pipeline, before | after, known)
    assert_found(pipeline, before, known)


def assert_found(pipeline: Pipeline, asked: dict[str, int], known: dict[str, int]) -> None:
    """What is there is found by the word of its version, and what is gone by nothing."""
    if not known:
        return
    texts = {document.name: pipeline.catalog.text(KEY, document.id) for document in pipeline.catalog.documents(KEY)}
    for name, version in asked.items():
        word = f"v{version}of{name.removesuffix('.md')}"
        found = [hit.passage for hit in pipeline.retriever.search(KEY, word, k=5)]
        assert all(hit.text in texts[hit.document] for hit in found)
        assert any(word in hit.text for hit in found) == (known.get(name) == version), (name, version)


def assert_complete(pipeline: Pipeline, meant: dict[str, int]) -> None:
    assert {document.name for document in pipeline.catalog.documents(KEY)} == meant.keys()
    for name, version in meant.items():
        assert pipeline.catalog.text(KEY, KEY.document_id(name)) == chapter(name, version)
    for key in (KEY, OTHER):
        pipeline.assert_consistent(key)
    assert len(pipeline.catalog.documents(OTHER)) == 1
    needed = {document.sha256 for key in (KEY, OTHER) for document in pipeline.catalog.documents(key)}
    assert pipeline.originals.hashes() == needed, "no original is left over"
    if pipeline.originals.manifest is not None:
        documents = [(key, document) for key in (KEY, OTHER) for document in pipeline.catalog.documents(key)]
        listed = {ManifestEntry(key, document.name, document.sha256) for key, document in documents}
        assert set(pipeline.originals.manifest.entries()) == listed


class Trials:
    """Processes are forked from one that has everything imported, and nothing open."""

    def __init__(self, open_pipeline: OpenPipeline, seed: int, database_url: str | None) -> None:
        self._open = open_pipeline
        self._chance = random.Random(seed)
        self._database_url = database_url
        self._known: dict[str, int] = {}
        self._lasts_s: dict[str, float] = {}
        self.killed = 0

    def prepare(self) -> None:
        """Two projects; and how long each kind takes when nobody kills it."""

        def begin(pipeline: Pipeline) -> None:
            pipeline.ingestor.index(OTHER, [Source("other.md", chapter("other.md", 1).encode())])

        self._in_child(begin)
        version = 0
        for kind in ("ingest", "sync", "remove"):
            version -= 1
            names = NAMES[:4] if kind != "remove" else NAMES[:2]
            operation = Operation(kind, dict.fromkeys(names, version))
            self._lasts_s[kind] = self._in_child(operation.do)
            self._known = operation.on(self._known)

    def kill_once(self, number: int) -> str:
        operation = an_operation(self._chance, self._known, number)
        before, after = self._known, operation.on(self._known)
        at = self._chance.uniform(0, self._lasts_s[operation.kind])
        lasted_s = self._in_child(operation.do, kill_after_s=at)
        if lasted_s < 0:
            self.killed += 1
        else:  # so that the next one comes in time
            self._lasts_s[operation.kind] = lasted_s
        self._wait_for_the_database()

        def look(pipeline: Pipeline) -> None:
            assert_whole(pipeline, before, after)
            operation.do(pipeline)
            pipeline.ingestor.embed(KEY)
            assert_complete(pipeline, after)
            assert_found(pipeline, before | after, after)

        self._in_child(look)
        self._known = after
        return f"{operation.kind:6} of {len(operation.documents)}, {'killed' if lasted_s < 0 else 'done'} at {at:.3f} s"

    def _in_child(self, work: Callable[[Pipeline], None], kill_after_s: float | None = None) -> float:
        """How long it took, in seconds from when everything was open; -1 if it was killed."""
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(told)
            self._work_and_exit(work, tell)
        os.close(tell)
        with os.fdopen(told, "rb", buffering=0) as pipe:
            assert pipe.read(1) == b"b", "the child did not begin"
            if kill_after_s is not None:
                select.select([pipe], [], [], kill_after_s)
                os.kill(child, signal.SIGKILL)
            seconds = pipe.readall().decode()
        _, status = os.waitpid(child, 0)
        if kill_after_s is not None and os.WIFSIGNALED(status):
            return float(seconds or -1)
        assert status == 0, "the process failed; what it said is above"
        return float(seconds)

    def _work_and_exit(self, work: Callable[[Pipeline], None], tell: int) -> None:
        try:
            with self._open() as pipeline:
                pipeline.catalog.projects("local")
                os.write(tell, b"b")
                started = time.monotonic()
                work(pipeline)
                os.write(tell, f"{time.monotonic() - started}".encode())
            os._exit(0)
        except BaseException:  # noqa: BLE001 - a forked process must not go on as its parent
            traceback.print_exc()
            os._exit(1)

    def _wait_for_the_database(self) -> None:
        """PostgreSQL finishes the statement, perhaps the commit, of a client that is dead."""
        if self._database_url is None:
            return
        engine = create_engine(self._database_url)
        others = "datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'fletcher'"
        with engine.connect() as connection:
            while connection.exec_driver_sql(f"SELECT count(*) FROM pg_stat_activity WHERE {others}").scalar():
                connection.rollback()
                time.sleep(0.01)
        engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", nargs="?", type=int, default=100)
    parser.add_argument(
        "--servers",
        nargs="*",
        metavar="URL",
        help="then on PostgreSQL and a Chroma server as well: of their own, or at these two URLs",
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _say("On a data directory:")
        _kill(Trials(lambda: pipeline_in(Path(folder)), arguments.seed, None), arguments.times)
    if arguments.servers is not None:
        with ExitStack() as opened:
            database_url, chroma_url = arguments.servers or _own_servers(opened)
            _say("On servers:")
            trials = Trials(lambda: pipeline_on(database_url, chroma_url), arguments.seed, database_url)
            _kill(trials, arguments.times)


def _own_servers(opened: ExitStack) -> tuple[str, str]:
    return opened.enter_context(running_postgresql())(), opened.enter_context(running_chroma())


def _kill(trials: Trials, times: int) -> None:
    trials.prepare()
    number = 0
    while trials.killed < times:
        number += 1
        _say(f"{number:4} {trials.kill_once(number)}")
    _say(f"{trials.killed} kills, and {number - trials.killed} that came too late; nothing was wrong.")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def import_what_is_imported_late() -> None:
    """Each of the forked processes would have to do it for itself."""
    chroma = (f"chromadb.{module}" for module in ("api.fastapi", "api.rust", "telemetry.product.posthog"))
    for module in (*chroma, "bm25s", "corpora.postgresql", "ingest.readers.markdown", "multiprocessing.synchronize"):
        import_module(module)
    import_module("retrieval.chroma_folder")._settings()


if __name__ == "__main__":
    import_what_is_imported_late()
    main()
