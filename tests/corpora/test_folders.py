"""Linked folders in the catalog: one for each project, its own documents, one watcher at a time."""

import pytest

from corpora import Catalog, FolderNotFound, LinkedFolder, ProjectKey, WorkspaceFull
from tests.corpora.conftest import Put

OTHER = ProjectKey("guests", "1")


def test_a_project_has_one_folder(catalog: Catalog, key: ProjectKey) -> None:
    assert catalog.linked_folder(key) is None
    catalog.link_folder(key, "/design/first")
    catalog.link_folder(key, "/design/second")
    catalog.link_folder(OTHER, "/design/first")
    assert catalog.linked_folder(key) == LinkedFolder(key, "/design/second")
    assert sorted(folder.path for folder in catalog.linked_folders()) == ["/design/first", "/design/second"]


def test_a_workspace_has_so_many(catalog: Catalog, key: ProjectKey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.folders.MOST_FOLDERS_OF_WORKSPACE", 6)
    for number in range(6):
        catalog.link_folder(ProjectKey(key.workspace, str(number)), "/design")
    with pytest.raises(WorkspaceFull, match="6 projects of this workspace"):
        catalog.link_folder(ProjectKey(key.workspace, "one-more"), "/design")
    catalog.link_folder(ProjectKey(key.workspace, "0"), "/design/second")
    catalog.link_folder(ProjectKey("another", "1"), "/design")
    catalog.unlink_folder(ProjectKey(key.workspace, "5"))
    catalog.link_folder(ProjectKey(key.workspace, "one-more"), "/design")


def test_a_server_has_so_many(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.folders.MOST_FOLDERS", 8)
    for number in range(8):
        catalog.link_folder(ProjectKey(f"workspace-{number}", "1"), "/design")
    with pytest.raises(WorkspaceFull, match="8 projects of this server"):
        catalog.link_folder(ProjectKey("one-more", "1"), "/design")
    catalog.link_folder(ProjectKey("workspace-1", "1"), "/design/second")
    catalog.unlink_folder(ProjectKey("workspace-7", "1"))
    catalog.link_folder(ProjectKey("one-more", "1"), "/design")


def test_without_a_folder_the_remedy_is_named(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    put(key, "bible.pdf", "Elena")
    for ask in (catalog.require_folder, catalog.unlink_folder):
        with pytest.raises(FolderNotFound, match="fletcher link"):
            ask(key)


def test_its_documents_are_named_and_no_other_projects(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    for project in (key, OTHER):
        catalog.link_folder(project, "/design")
        put(project, "a.md", "Elena")
    catalog.put_folder_documents(key, ["a.md", "b.md"])
    catalog.put_folder_documents(key, ["b.md", "c.md"])
    catalog.put_folder_documents(key, [])
    catalog.remove_document(key, "a.md")
    put(key, "a.md", "Sent otherwise")
    assert catalog.folder_documents(key) == {"b.md", "c.md"}
    assert catalog.folder_documents(OTHER) == set()


def test_a_document_is_written_and_the_folders_at_once(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    catalog.link_folder(key, "/design")
    for _ in range(2):
        put(key, "a.md", "Elena", of_folder=True)
    put(key, "b.md", "Sent otherwise")
    assert catalog.folder_documents(key) == {"a.md"}
    put(key, "a.md", "Elena")  # read again, as another reader may find more in the same file
    assert catalog.folder_documents(key) == {"a.md"}


def test_whoever_sends_another_file_by_a_name_of_the_folder_has_it_until_the_folder_has_another(
    catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    catalog.link_folder(key, "/design")
    catalog.put_folder_documents(key, ["notes.md", "again.md"])
    put(key, "notes.md", "Sent by the writer")
    put(key, "again.md", "In the folder", of_folder=True)
    put(key, "again.md", "Sent by the writer")
    assert catalog.folder_documents(key) == set()
    put(key, "again.md", "Written in the folder since", of_folder=True)
    assert catalog.folder_documents(key) == {"again.md"}


def test_another_folder_inherits_the_documents_until_it_is_synced(catalog: Catalog, key: ProjectKey) -> None:
    catalog.link_folder(key, "/design/first")
    catalog.put_folder_documents(key, ["a.md"])
    catalog.link_folder(key, "/design/second")
    assert catalog.folder_documents(key) == {"a.md"}


def test_unlinking_leaves_the_documents(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    put(key, "a.md", "Elena")
    catalog.link_folder(key, "/design")
    catalog.put_folder_documents(key, ["a.md"])
    assert catalog.unlink_folder(key) == LinkedFolder(key, "/design")
    assert catalog.folder_documents(key) == set()
    catalog.put_folder_documents(key, ["late.md"])  # by a sync that was under way
    put(key, "later.md", "Elena", of_folder=True)
    assert catalog.folder_documents(key) == set()
    assert [document.name for document in catalog.documents(key)] == ["a.md", "later.md"]


def test_a_problem_is_kept_and_cleared_and_belongs_to_one_link(catalog: Catalog, key: ProjectKey) -> None:
    catalog.link_folder(key, "/design")
    folder = catalog.require_folder(key)
    catalog.note_folder_problem(folder, "FOLDER_MISSING", "/design is not there.")
    assert catalog.require_folder(key) == LinkedFolder(key, "/design", "FOLDER_MISSING", "/design is not there.")
    catalog.note_folder_problem(folder, None, None)
    assert catalog.require_folder(key) == folder
    catalog.link_folder(key, "/elsewhere")
    catalog.note_folder_problem(folder, "FOLDER_MISSING", "/design is not there.")
    assert catalog.require_folder(key).problem is None


def test_one_watcher_at_a_time(catalog: Catalog, key: ProjectKey) -> None:
    catalog.link_folder(key, "/design")
    folder = catalog.require_folder(key)
    assert catalog.claim_folder(folder, "first", 60)
    assert catalog.claim_folder(folder, "first", 60), "it may renew its lease"
    assert not catalog.claim_folder(folder, "second", 60)
    catalog.release_folders("first")
    assert catalog.claim_folder(folder, "second", -1), "it dies at once"
    assert catalog.claim_folder(folder, "first", 60)


def test_a_link_to_another_folder_ends_the_lease(catalog: Catalog, key: ProjectKey) -> None:
    catalog.link_folder(key, "/design")
    before = catalog.require_folder(key)
    assert catalog.claim_folder(before, "first", 60)
    catalog.link_folder(key, "/elsewhere")
    assert not catalog.claim_folder(before, "first", 60)
    assert catalog.claim_folder(catalog.require_folder(key), "second", 60)
