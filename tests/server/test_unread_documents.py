"""What could not be read is kept until it is read or dismissed, and no more of it than somebody reads."""

from corpora import ProjectKey
from ingest import DocumentReport, IngestReport, Problem
from server.background.failures import Failures

KEY = ProjectKey("red", "1")


def report(*documents: DocumentReport) -> IngestReport:
    return IngestReport("1", documents, 0.1)


def failed(name: str, message: str = "It is broken.") -> DocumentReport:
    return DocumentReport(name, "failed", error=Problem("BROKEN", message))


def test_a_failure_is_kept_until_the_document_is_read_or_it_is_dismissed() -> None:
    failures = Failures()
    failures.note(KEY, report(failed("a.pdf"), failed("b.pdf"), DocumentReport("c.md", "indexed")))
    assert list(failures.of(KEY)) == ["a.pdf", "b.pdf"]
    assert not failures.of(ProjectKey("blue", "1"))
    failures.note(KEY, report(DocumentReport("a.pdf", "updated")))
    assert list(failures.of(KEY)) == ["b.pdf"]
    failures.dismiss(KEY)
    assert not failures.of(KEY)


def test_of_very_many_the_latest_are_kept_and_another_workspace_loses_none() -> None:
    failures = Failures()
    blue = ProjectKey("blue", "1")
    failures.note(blue, report(failed("mine.pdf")))
    for number in range(300):
        of_one = [failed(f"{each}.pdf", "x" * 9999) for each in range(10)]
        failures.note(ProjectKey("red", str(number)), report(*of_one))
        failures.note(KEY, report(failed(f"{number}.pdf")))
    assert list(failures.of(KEY)) == [f"{number}.pdf" for number in range(100, 300)]
    kept = [number for number in range(300) if failures.of(ProjectKey("red", str(number)))]
    assert kept == [1, *range(120, 300)]  # 2,000 of all
    assert len(failures.of(ProjectKey("red", "299"))["9.pdf"].message) == 1000
    assert list(failures.of(blue)) == ["mine.pdf"]
