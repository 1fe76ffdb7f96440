from pathlib import Path

import pytest

from corpora import program_in_path


def test_no_program_of_the_folder_that_we_run_in_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "godot").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")  # as Windows has it in any case
    assert program_in_path("godot") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program_in_path("godot") == str(tmp_path / "godot")
