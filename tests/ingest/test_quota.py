"""What a workspace may have: each document over it is refused in the report, and the others are taken."""

from collections.abc import Callable
from pathlib import Path

import pytest

from corpora import ProjectKey, Quota
from ingest import Ingestor, IngestReport, Source
from tests.ingest.conftest import Pipeline, on_both
from tests.ingest.sources import a_pdf

A_PASSAGE = 8_192
HERE, BESIDE, ELSEWHERE = ProjectKey("local", "1"), ProjectKey("local", "2"), ProjectKey("elsewhere", "1")


@pytest.fixture
def limited(pipeline: Pipeline) -> Callable[[Quota], Ingestor]:
    return lambda quota: Ingestor(
        pipeline.catalog, pipeline.originals, pipeline.retriever, pipeline.reader, quota=quota
    )


def became(report: IngestReport) -> dict[str, str | None]:
    return {each.name: each.error.code if each.error else each.status for each in report.documents}


def sources(*names: str, text: str = "text") -> list[Source]:
    return [Source(name, f"{text} of {name}".encode()) for name in names]


@on_both
def test_a_workspace_has_so_many_documents_in_all_its_projects(
    pipeline: Pipeline, limited: Callable[[Quota], Ingestor]
) -> None:
    ingestor = limited(Quota(documents=3, bytes=100_000))
    assert became(ingestor.index(HERE, sources("a.md", "b.md"))) == {"a.md": "indexed", "b.md": "indexed"}
    report = ingestor.index(BESIDE, sources("c.md", "d.md", "e.md"))
    assert became(report) == {"c.md": "indexed", "d.md": "WORKSPACE_FULL", "e.md": "WORKSPACE_FULL"}
    (refused, _) = [each.error for each in report.documents if each.error]
    assert refused.message.startswith("d.md: workspace 'local' may have 3 documents")
    assert "FLETCHER_MAX_WORKSPACE_DOCUMENTS" in refused.message
    assert became(ingestor.index(ELSEWHERE, sources("d.md"))) == {"d.md": "indexed"}
    assert len(pipeline.originals.hashes()) == 4
    pipeline.assert_consistent(HERE)


def test_what_finds_no_room_beside_what_is_there_takes_it_not_away(
    pipeline: Pipeline, key: ProjectKey, limited: Callable[[Quota], Ingestor]
) -> None:
    ingestor = limited(Quota(documents=3, bytes=100_000))
    ingestor.index(key, [Source(f"{name}.md", b"The first act.") for name in "ab"])
    report = ingestor.index(key, [Source(f"{name}.md", b"Act %s." % name.encode()) for name in "cde"], replace=True)
    assert became(report) == {"c.md": "indexed", "d.md": "WORKSPACE_FULL", "e.md": "WORKSPACE_FULL"}
    assert sorted(document.name for document in pipeline.catalog.documents(key)) == ["a.md", "b.md", "c.md"]


@on_both
def test_of_a_new_project_for_which_there_is_no_room_nothing_is_read_or_kept(
    pipeline: Pipeline, limited: Callable[[Quota], Ingestor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.statements.MOST_EMPTY_PROJECTS", 1)
    ingestor = limited(Quota(documents=3, bytes=100_000))
    ingestor.index(HERE, sources("a.md"))
    ingestor.remove(HERE, "a.md")
    kept = pipeline.originals.hashes()
    assert became(ingestor.index(BESIDE, sources("b.md"))) == {"b.md": "WORKSPACE_FULL"}
    assert pipeline.reader.names == ["a.md"]
    assert pipeline.originals.hashes() == kept
    assert pipeline.catalog.projects("local") == ["1"]


def test_in_a_full_workspace_documents_can_be_changed_and_removed(limited: Callable[[Quota], Ingestor]) -> None:
    ingestor = limited(Quota(documents=1, bytes=100_000))
    ingestor.index(HERE, sources("a.md"))
    assert became(ingestor.index(HERE, sources("a.md", text="other text"))) == {"a.md": "updated"}
    assert became(ingestor.index(HERE, sources("b.md"))) == {"b.md": "WORKSPACE_FULL"}
    ingestor.remove(HERE, "a.md")
    assert became(ingestor.index(HERE, sources("b.md"))) == {"b.md": "indexed"}


@on_both
def test_bytes_are_those_of_files_and_of_the_text_in_them(
    pipeline: Pipeline, limited: Callable[[Quota], Ingestor]
) -> None:
    long = [Source("a.md", b"x" * 600), Source("b.md", b"y" * 6_000), Source("c.md", b"z" * 100)]
    report = limited(Quota(documents=100, bytes=20_000)).index(HERE, long)
    assert became(report) == {"a.md": "indexed", "b.md": "WORKSPACE_FULL", "c.md": "indexed"}
    used = pipeline.catalog.used("local")
    assert used.documents == 2
    assert 1_400 <= used.bytes - 2 * A_PASSAGE <= 1_410


def test_many_passages_take_room_however_short_they_are(limited: Callable[[Quota], Ingestor]) -> None:
    scraps = "".join(f"# Part {number}\n\nx\n\n" for number in range(100)).encode()
    report = limited(Quota(documents=100, bytes=50 * A_PASSAGE)).index(HERE, [Source("a.md", scraps)])
    assert became(report) == {"a.md": "WORKSPACE_FULL"}


@on_both
def test_a_project_has_so_many_passages_and_another_has_as_many(limited: Callable[[Quota], Ingestor]) -> None:
    ingestor = limited(Quota(documents=100, bytes=1_000_000, passages=2))
    report = ingestor.index(HERE, sources("a.md", "b.md", "c.md"))
    assert became(report) == {"a.md": "indexed", "b.md": "indexed", "c.md": "WORKSPACE_FULL"}
    assert became(ingestor.index(HERE, sources("a.md", text="other text"))) == {"a.md": "updated"}
    assert became(ingestor.index(BESIDE, sources("c.md"))) == {"c.md": "indexed"}


def test_pages_take_room_without_text(pipeline: Pipeline, limited: Callable[[Quota], Ingestor]) -> None:
    few, many = (Source("a.pdf", a_pdf("One.", *[""] * pages)) for pages in (1, 21))
    used: list[int] = []
    for source in (few, many):
        limited(Quota(documents=100, bytes=1_000_000)).index(HERE, [source])
        used.append(pipeline.catalog.used("local").bytes - len(source.data))
    assert 20 * 2**12 <= used[1] - used[0] <= 20 * 2**12 + 100


def test_a_copy_of_a_known_document_takes_room_as_well(limited: Callable[[Quota], Ingestor]) -> None:
    ingestor = limited(Quota(documents=100, bytes=1_500 + A_PASSAGE))
    ingestor.index(HERE, [Source("a.md", b"x" * 600)])
    assert became(ingestor.index(HERE, [Source("copy.md", b"x" * 600)])) == {"copy.md": "WORKSPACE_FULL"}


def test_what_could_not_be_had_is_not_read(pipeline: Pipeline, limited: Callable[[Quota], Ingestor]) -> None:
    limited(Quota(documents=100, bytes=500)).index(HERE, [Source("a.md", b"x" * 600)])
    assert pipeline.reader.names == []


def test_a_setting_says_how_much(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from corpora import DataDirectory
    from fletcher.settings import load_settings
    from fletcher.wiring import open_parts

    monkeypatch.setenv("FLETCHER_MAX_WORKSPACE_DOCUMENTS", "1")
    monkeypatch.chdir(tmp_path)
    with open_parts(load_settings(data_dir=tmp_path / "data"), DataDirectory(tmp_path / "data")) as parts:
        report = parts.ingestor.add(HERE, sources("a.md", "b.md"))
    assert became(report) == {"a.md": "searchable", "b.md": "WORKSPACE_FULL"}
