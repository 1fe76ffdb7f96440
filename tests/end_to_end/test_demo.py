"""The demo, as a newcomer runs it."""

from pathlib import Path

from arrow_project import check, parse
from corpora.samples import SAMPLE
from tests.end_to_end.conftest import fletcher


def test_the_demo_makes_the_whole_journey(tmp_path: Path) -> None:
    done = fletcher("demo", data_dir=tmp_path / "demo", cwd=tmp_path)
    assert done.code == 0, done.err
    changed = tmp_path / "demo" / SAMPLE.arrow_file.name
    assert str(changed) in done.out.replace("\n", "")
    assert SAMPLE.question in done.out.replace("\n", " ")
    assert "Sources: [" in done.out
    before, after = parse(SAMPLE.arrow_file.read_bytes()), parse(changed.read_bytes())
    assert before.to_text() != after.to_text()
    assert [finding for finding in check(after) if finding.severity == "error"] == []
