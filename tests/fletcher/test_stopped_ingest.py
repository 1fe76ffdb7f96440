"""Ctrl-C while `fletcher ingest` works."""

from pathlib import Path

import pytest

from fletcher.__main__ import main


def test_ctrl_c_says_what_is_done_and_what_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fletcher.documents.ingest", stop)
    (tmp_path / "a.md").write_text("A.")
    with pytest.raises(SystemExit) as ended:
        main(["ingest", str(tmp_path / "a.md"), "--project", "1", "--data-dir", str(tmp_path / "data")])
    assert ended.value.code == 130
    said = capsys.readouterr()
    assert "the same command does the rest" in " ".join(said.err.split())
    assert said.out == ""
