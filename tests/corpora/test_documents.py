"""Documents in the catalog: whole or not at all, found by name or id, projects apart."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rapidfuzz import process
from sqlalchemy import Engine, event

from corpora import (
    Catalog,
    CatalogError,
    Document,
    DocumentNotFound,
    InvalidName,
    ProjectKey,
    ProjectNotFound,
    ValueRefused,
    WorkspaceFull,
    documents,
)

Put = Callable[..., Document]


def test_a_document_comes_back_as_it_was_put(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    document = put(key, "bible.pdf", "One.", "Two.")
    assert catalog.documents(key) == [document]
    assert (document.pages, document.passages, document.embedded) == (2, 2, 0)
    assert document.id == key.document_id("bible.pdf")
    assert catalog.text(key, document.id) == "One.Two."
    assert [page.text for page in catalog.pages(key, document.id)] == ["One.", "Two."]
    assert [page.text for page in catalog.pages(key, document.id, range(2, 4))] == ["Two."]
    passages = catalog.passages(key, document.id)
    assert [passage.text for passage in passages] == ["One.", "Two."]
    assert catalog.passages_by_id(key, [passages[1].id, "unknown"]) == {passages[1].id: passages[1]}


def test_a_workspace_has_so_many_projects_without_documents(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.statements.MOST_EMPTY_PROJECTS", 2)
    one, two, three = (ProjectKey("local", project) for project in ("1", "2", "3"))
    for key in (one, two):
        catalog.remove_document(key, put(key, "bible.md", "One.").id)
    for refused in (lambda: put(three, "bible.md", "One."), lambda: catalog.link_folder(three, "/stories")):
        with pytest.raises(WorkspaceFull, match="2 projects of workspace 'local' have no documents"):
            refused()
    put(ProjectKey("other", "3"), "bible.md", "One.")
    put(two, "bible.md", "One.")
    put(three, "bible.md", "One.")
    assert catalog.projects("local") == ["1", "2", "3"]


def test_the_files_of_a_projects_documents_are_its_own(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    document, other = put(key, "bible.md", "One."), put(ProjectKey("local", "other"), "a.md", "Two.")
    assert catalog.sha256s(key, [document.sha256, other.sha256, "a" * 64]) == {document.sha256}
    assert catalog.sha256s(key, []) == set()


@pytest.mark.parametrize("near", [0, 1_000_000])
def test_spans_of_a_text_are_counted_in_characters(
    catalog: Catalog, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch, near: int
) -> None:
    monkeypatch.setattr(documents, "_NEAR_CHARACTERS", near)
    text = "Ä🕯 lamp, étude 👩‍🚀, 海."
    document = put(key, "signs.md", text)
    places = [(begin, end) for end in range(len(text) + 5) for begin in range(end + 1)]
    assert catalog.spans(key, document.id, places) == [text[begin:end] for begin, end in places]
    with pytest.raises(DocumentNotFound):
        catalog.spans(key, "unknown", [(0, 1)])


def test_of_a_long_text_one_request_of_a_workspace_reads_at_a_time_and_that_once(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "_LONG_BYTES", 0)
    ours, others = ProjectKey("ada", "1"), ProjectKey("bo", "1")
    ids = {key: put(key, "bible.md", "Elena keeps the lighthouse.").id for key in (ours, others)}
    read: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        read.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with ThreadPoolExecutor() as pool:
            with documents._reading_long.taken("ada", lambda: None):  # pyright: ignore[reportPrivateUsage]
                asked = pool.submit(catalog.spans, ours, ids[ours], [(0, 5), (6, 11)])
                assert catalog.spans(others, ids[others], [(0, 5)]) == ["Elena"]
                assert not asked.done()
            assert asked.result(60) == ["Elena", "keeps"]
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert sum(statement.count("substr(") for statement in read) == 2


def test_of_pages_so_many_characters_are_given(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    texts = ["I.", "", "II, iii.", "", "V."]
    document, whole = put(key, "bible.pdf", *texts), "".join(texts)
    for end in range(len(whole) + 2):
        for begin in range(end + 1):
            pages = catalog.pages(key, document.id, characters=range(begin, end))
            assert "".join(page.text for page in pages) == whole[begin:end]
            assert [page.char_to - page.char_from for page in pages] == [len(text) for text in texts]
    (third,) = catalog.pages(key, document.id, range(3, 4), range(2, 6))
    assert third.text == ", ii"


def test_a_long_document_is_written_and_removed_some_rows_at_a_time(
    key: ProjectKey, put: Put, catalog: Catalog
) -> None:
    rows: list[int] = []
    written: set[str] = set()

    def count(_connection: object, _cursor: object, statement: str, values: object, *_: object) -> None:
        written.add(statement)
        rows.append(len(values) if isinstance(values, list) else max(1, statement.count("), (")))

    texts = [f"Passage {number}." for number in range(1_300)]
    put(key, "another.pdf", *texts)  # whose vectors all have
    catalog.record_embedding_model("small", 1)
    catalog.store_vectors({passage.embedding_hash: np.ones(1, np.float32) for passage in catalog.passages(key)})
    event.listen(Engine, "before_cursor_execute", count)
    try:
        put(key, "bible.pdf", *texts)
        for less in (1, 100, 300):
            put(key, "bible.pdf", *texts[less:])
        catalog.remove_document(key, key.document_id("bible.pdf"))
    finally:
        event.remove(Engine, "before_cursor_execute", count)
    assert max(rows) <= 1_200, "all of them at once take several times what the document takes"
    assert len(written) < 40, "with each of them the driver keeps the last values"
    assert len(rows) < 300, "after each, whoever writes waits for those who compute, and all others for him"
    assert len(catalog.replaced_passages(key)) == 1_300


def test_a_document_without_pages_has_none(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    document = put(key, "notes.md", "All.")
    pages = [replace(page, number=None) for page in catalog.pages(key, document.id)]
    written = catalog.put_document(
        key, name="notes.md", format="md", sha256="0" * 64, size=4, text="All.", pages=pages, passages=[]
    )
    assert written.pages is None
    assert catalog.pages(key, written.id) == pages


def test_documents_are_found_by_name_and_by_id(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    document = put(key, "bible.pdf", "x")
    decoy = put(key, document.id, "a document whose name is another's id")
    assert catalog.find_document(key, "bible.pdf") == document
    assert catalog.find_document(key, document.id) == decoy
    assert catalog.documents(key, [decoy.id, "0" * 16]) == [decoy]
    catalog.remove_document(key, decoy.id)
    assert catalog.find_document(key, document.id) == document


def test_what_is_not_there_is_refused_with_the_nearest(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    with pytest.raises(ProjectNotFound, match="known are none"):
        catalog.find_document(key, "bible.pdf")
    put(key, "bible.pdf", "x")
    with pytest.raises(DocumentNotFound, match=r"nearest name is 'bible\.pdf'"):
        catalog.find_document(key, "bibel.pdf")
    with pytest.raises(DocumentNotFound):
        catalog.text(key, "bibel.pdf")
    with pytest.raises(ProjectNotFound, match="known are '1'"):
        catalog.require_project(ProjectKey("local", "2"))


@pytest.mark.parametrize("name", ["\0", "bible.pdf\0", "\ud800", "bible.pdf\udfff"])
def test_what_no_database_can_have_is_not_there(catalog: Catalog, key: ProjectKey, put: Put, name: str) -> None:
    document = put(key, "bible.pdf", "x")
    (passage,) = catalog.passages(key)
    for ask in (catalog.find_document, catalog.remove_document, catalog.text, catalog.pages):
        with pytest.raises(DocumentNotFound):
            ask(key, name)
    assert catalog.passages_by_id(key, [name, passage.id]) == {passage.id: passage}
    assert catalog.pop_pending("local", "1", name) is None
    with pytest.raises(InvalidName):
        ProjectKey("local", name)
    assert catalog.documents(key) == [document]


def test_of_a_workspace_that_asks_for_what_is_not_there_one_request_looks_for_names_at_a_time(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bo = ProjectKey("ada", "1"), ProjectKey("bo", "1")
    for key in (ada, bo):
        put(key, "bible.pdf", "x")
    at_once, most, names = 0, 0, catalog._names  # pyright: ignore[reportPrivateUsage]
    begun, go = threading.Event(), threading.Event()

    def held_up(key: ProjectKey) -> list[str]:
        nonlocal at_once, most
        if key == ada:
            at_once += 1
            most = max(most, at_once)
            begun.set()
            assert go.wait(60)
            at_once -= 1
        return names(key)

    def look(key: ProjectKey) -> None:
        with pytest.raises(DocumentNotFound, match="nearest name"):
            catalog.find_document(key, "bibel.pdf")

    monkeypatch.setattr(catalog, "_names", held_up)
    with ThreadPoolExecutor(4) as threads:
        try:
            asked = [threads.submit(look, ada) for _ in range(4)]
            assert begun.wait(60)
            look(bo)
        finally:
            go.set()
        for one in asked:
            one.result(60)
    assert most == 1


def test_the_nearest_names_are_near_and_others_are_not_called_so(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    names = ("bible.pdf", "characters.docx", "dialogues.txt", "quests.md")
    for name in names:
        put(key, name, f"of {name}")
    for wanted, near in (("QUESTS", "'quests.md'"), ("characters", "'characters.docx'")):
        with pytest.raises(DocumentNotFound, match=rf"nearest name is {near}\."):
            catalog.find_document(key, wanted)
    with pytest.raises(DocumentNotFound, match=r"no document 'nosuch': it has 'bible\.pdf', .* 'quests\.md'\."):
        catalog.find_document(key, "nosuch")
    for name in ("endings.md", "variables.md"):
        put(key, name, f"of {name}")
    with pytest.raises(DocumentNotFound, match=r"it has, among 6, 'bible\.pdf', .* 'quests\.md'\."):
        catalog.find_document(key, "nosuch")


def test_however_long_and_many_names_are_each_comparison_is_short(
    catalog: Catalog, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """rapidfuzz takes the square of the length, and lets no other thread run before it returns."""
    put(key, "bible.pdf", "x")
    path = "я" * 480
    known = [f"{path}/{number}.md" for number in range(1_200)]
    monkeypatch.setattr(catalog, "_names", lambda _key: known)
    extract = Mock(wraps=process.extract)
    monkeypatch.setattr("corpora.known_names.process", Mock(extract=extract))

    with pytest.raises(
        DocumentNotFound, match=rf"no document '{path[:200]}': the nearest .* '{path}/77.md'"
    ) as refused:
        catalog.find_document(key, f"{path}{path}/77.m")

    assert len(refused.value.message) < 3_000
    shortened = extract.call_args.kwargs["processor"]
    assert all(len(shortened(name)) <= 100 for call in extract.call_args_list for name in (call.args[0], *call.args[1]))
    assert [len(call.args[1]) for call in extract.call_args_list] == [500, 500, 200]


def test_of_very_many_projects_some_are_named(
    catalog: Catalog, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "projects", Mock(return_value=[str(number) for number in range(10_000)]))
    with pytest.raises(ProjectNotFound, match="known are among 10000, '0', '1', '2', '3', '4'\\."):
        catalog.require_project(key)


def test_a_project_is_unknown_until_it_has_had_a_document(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    assert not catalog.has_project(key)
    assert (catalog.corpus_version(key), catalog.documents(key), catalog.passages(key)) == (0, [], [])
    document = put(key, "bible.pdf", "x")
    catalog.remove_document(key, document.id)
    assert catalog.has_project(key)
    assert catalog.corpus_version(key) == 2
    assert catalog.projects("local") == ["1"]


def test_the_same_names_in_other_projects_and_workspaces_are_others(catalog: Catalog, put: Put) -> None:
    keys = [ProjectKey(workspace, project) for workspace in ("a", "b") for project in ("1", "2")]
    for key in keys:
        put(key, "bible.pdf", f"of {key}")
    for key in keys:
        (document,) = catalog.documents(key)
        (passage,) = catalog.passages(key)
        others = [other for other in keys if other != key]
        assert passage.text == f"of {key}"
        assert not any(catalog.passages_by_id(other, [passage.id]) for other in others)
        assert not any(catalog.passages(other, document.id) for other in others)
        for other in others:
            with pytest.raises(DocumentNotFound):
                catalog.find_document(other, document.id)
    catalog.remove_document(keys[0], "bible.pdf")
    assert [len(catalog.documents(key)) for key in keys] == [0, 1, 1, 1]


def test_a_document_that_fails_to_be_written_leaves_the_old_one(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    before = put(key, "bible.pdf", "One.", "Two.")
    twice = catalog.passages(key)[:1] * 2
    with pytest.raises(CatalogError):
        catalog.put_document(
            key,
            name="bible.pdf",
            format="pdf",
            sha256="1" * 64,
            size=1,
            text="One.",
            pages=[],
            passages=twice,
        )
    assert catalog.documents(key) == [before]
    assert [page.text for page in catalog.pages(key, before.id)] == ["One.", "Two."]
    assert catalog.corpus_version(key) == 1
    assert catalog.replaced_passages(key) == []


def test_many_writers_wait_for_each_other(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    def write(writer: int) -> None:
        for number in range(10):
            put(key, f"{writer}-{number}.pdf", "text")

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(catalog.documents(key)) == 40
    assert catalog.corpus_version(key) == 40


NAMES = st.sampled_from(["a.pdf", "b.pdf"])
TEXTS = st.lists(st.sampled_from(["One.", "Two.", "Three."]), max_size=4)
_THERE_AGAIN: list[tuple[str, list[str]]] = [
    *(("put", ["One."]), ("embed", [])),
    *(("put", []), ("put", ["One."]), ("put", [])),
]
STEPS = st.one_of(
    st.tuples(st.just("put"), NAMES, TEXTS),
    st.tuples(st.just("remove"), NAMES, st.just([])),
    st.tuples(st.just("embed"), NAMES, st.just([])),
    st.tuples(st.just("forget"), NAMES, st.just([])),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, max_size=8))
@example([(step, "a.pdf", new) for step, new in _THERE_AGAIN])
def test_whatever_happens_the_catalog_knows_which_vectors_are_missing_and_which_must_go(
    catalog: Catalog, key: ProjectKey, put: Put, steps: list[tuple[str, str, list[str]]]
) -> None:
    for document in catalog.documents(key):
        catalog.remove_document(key, document.id)
    catalog.mark_forgotten(catalog.replaced_passages(key))
    catalog.record_embedding_model("a model", 2)
    stored: set[str] = set()  # what a vector store that follows the catalog would hold
    texts: dict[str, list[str]] = {}
    for step, name, new in steps:
        version = catalog.corpus_version(key)
        if step == "put":
            put(key, name, *new)
            texts[name] = new
            assert catalog.corpus_version(key) == version + 1
        elif step == "remove" and texts.pop(name, None) is not None:
            catalog.remove_document(key, name)
            assert catalog.corpus_version(key) == version + 1
        elif step == "embed":
            its = catalog.passages(key, key.document_id(name))
            catalog.store_vectors({passage.embedding_hash: np.ones(2, np.float32) for passage in its})
            stored.update(ids := [passage.id for passage in its])
            catalog.mark_embedded(key, ids)
        elif step == "forget":
            stored.difference_update(gone := catalog.replaced_passages(key))
            catalog.mark_forgotten(gone)
    passages = {passage.id for passage in catalog.passages(key)}
    missing = set(catalog.unembedded(key))
    assert {document.name: document.passages for document in catalog.documents(key)} == {
        name: len(parts) for name, parts in texts.items()
    }
    assert passages - missing <= stored, "what counts as embedded has its vector"
    assert stored - passages <= set(catalog.replaced_passages(key)), "what is gone is known to be gone"
    assert not passages & set(catalog.replaced_passages(key)), "what is there is not to be forgotten"
    assert sum(document.embedded for document in catalog.documents(key)) == len(passages - missing)


def test_every_project_of_every_workspace_is_named(catalog: Catalog, put: Put) -> None:
    keys = [ProjectKey("harbour", "1"), ProjectKey("inland", "1"), ProjectKey("inland", "2")]
    for key in keys:
        put(key, "notes.md", "text")
    assert sorted(catalog.every_project()) == keys


def test_a_document_that_has_the_id_of_another_projects_is_refused_and_that_one_stays(
    catalog: Catalog, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names are anybody's choice, and an id is 64 bits of what is made of one."""
    ada, bo = ProjectKey("ada", "1"), ProjectKey("bo", "1")
    monkeypatch.setattr(ProjectKey, "document_id", lambda _key, _name: "0123456789abcdef")
    put(ada, "bible.md", "Elena keeps the lighthouse.")
    with pytest.raises(ValueRefused):
        put(bo, "chosen.md", "Nothing.")
    assert [document.name for document in catalog.documents(ada)] == ["bible.md"]
    assert [passage.text for passage in catalog.passages(ada)] == ["Elena keeps the lighthouse."]
    assert catalog.documents(bo) == []
