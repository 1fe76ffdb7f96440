"""Which languages of pictures are here, told by Tesseract's own files."""

from pathlib import Path

import pytest

from ingest.ocr import usable_languages, what_is_missing


@pytest.fixture
def tessdata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    return tmp_path


def test_languages_that_are_here(tessdata: Path) -> None:
    assert usable_languages("eng+deu") == ""
    for name in ("eng", "fra", "osd"):
        (tessdata / f"{name}.traineddata").touch()
    assert usable_languages("deu+eng") == "eng"
    assert usable_languages("none") == ""


def test_what_is_missing_is_named_with_what_there_is(tessdata: Path) -> None:
    assert what_is_missing("xx") is None, "without Tesseract no language was promised"
    for name in ("eng", "fra", "osd"):
        (tessdata / f"{name}.traineddata").touch()
    said = what_is_missing("eng+xx") or ""
    assert "'xx'" in said
    assert "it has eng, fra." in said
    assert what_is_missing("fra+eng") is None
    assert what_is_missing("none") is None
