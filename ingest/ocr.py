"""Which languages pictures can be read in here: Tesseract's (OCR), where it is installed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from corpora import program_in_path

_SUFFIX = ".traineddata"
_TOLD = re.compile(r'in "(.+)"')
_USUAL = Path("/usr/share/tesseract-ocr")  # its packages have a folder for each version there
_NO_LANGUAGE = "osd"  # it tells scripts and orientation
_OFF = "none"


def language_data() -> Path | None:
    """The folder with Tesseract's languages; None where there is none."""
    if given := os.environ.get("TESSDATA_PREFIX"):
        return Path(given)
    candidates = sorted(_USUAL.glob("*/tessdata"), reverse=True)
    if program := program_in_path("tesseract"):
        candidates.insert(0, Path(program).parent / "tessdata")  # as on Windows
        told = subprocess.run([program, "--list-langs"], capture_output=True, text=True, check=False)  # noqa: S603 - found on the PATH
        if named := _TOLD.search(told.stdout + told.stderr):
            candidates.insert(0, Path(named[1]))
    return next((folder for folder in candidates if folder.is_dir()), None)


def usable_languages(wanted: str) -> str:
    """Those of the languages (`eng+deu`) that are installed, in the same form; "" if no picture can be read."""
    installed = _installed(language_data())
    return "+".join(name for name in wanted.split("+") if name in installed)


def what_is_missing(wanted: str) -> str | None:
    """What to say if Tesseract is here and languages asked for are not; None if nothing needs to be said."""
    installed = _installed(language_data())
    missing = [name for name in wanted.split("+") if name not in installed]
    if not installed or not missing or wanted == _OFF:
        return None
    return (
        f"FLETCHER_OCR_LANGUAGES: Tesseract has no {', '.join(map(repr, missing))} here, and pictures are not read in "
        f"it; it has {', '.join(sorted(installed))}. Install what is missing, or set others."
    )


def _installed(folder: Path | None) -> set[str]:
    files = folder.glob(f"*{_SUFFIX}") if folder else ()
    return {file.name.removesuffix(_SUFFIX) for file in files} - {_NO_LANGUAGE}
