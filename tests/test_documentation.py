"""Every command that the documentation shows exists, with its options; every setting is there, with its default.

Every link between its pages leads to a page and a heading.
"""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from fletcher.__main__ import app
from fletcher.settings import DEFAULT_DATA_DIR, Settings

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
_BLOCK = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`(?:\.venv/bin/)?((?:fletcher|make) [^`]+)`")


def _commands() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for page in PAGES:
        for block in _BLOCK.findall(page.read_text("utf-8")):
            for line in block.replace("\\\n", " ").splitlines():
                words = re.match(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?(fletcher|make) ?(.*)", line.strip())
                if words:
                    found.append((page.name, f"{words[1]} {words[2]}"))
        found += [(page.name, command) for command in _INLINE.findall(page.read_text("utf-8"))]
    return found


def test_every_documented_command_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for page, command in _commands():
        program, *words = shlex.split(command, comments=True)
        if program == "make":
            assert {word for word in words if "=" not in word} <= targets, f"{page}: {command}"
        elif words and not words[0].startswith("-"):
            known = group.get_command(typer.Context(group), words[0])
            assert known is not None, f"{page}: {command}"
            options = {name for parameter in known.params for name in parameter.opts}
            used = {word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
            assert used <= options | {"--help"}, f"{page}: {command}"


_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in _LINK.findall(page.read_text("utf-8")):
        target = (page.parent / path) if path else page
        assert target.exists(), f"{page.name}: {path}"
        assert not anchor or anchor in _anchors(target), f"{page.name}: {path}#{anchor}"


# What happens where nothing is set is said in words.
_UNSET = {
    "model": "`anthropic:claude-sonnet-4-5` when `ANTHROPIC_API_KEY` is set, else `local`",
    "embedding_model": "all-MiniLM-L6-v2, bundled",
    "database_url": "SQLite in the data directory",
    "chroma_url": "Chroma in the data directory",
}
_UNITS = {"MiB": 2**20, "GiB": 2**30}


def _documented() -> dict[str, str]:
    """Defaults as they stand in the table, by the settings' names."""
    text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    rows = re.findall(r"^\| `FLETCHER_([A-Z_]+)` \| (.+?) \| .+ \|$", text, re.MULTILINE)
    return {name.lower(): default for name, default in rows}


def test_every_setting_is_documented() -> None:
    assert _documented().keys() == Settings.model_fields.keys()


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_settings_default_is_documented(name: str) -> None:
    said, default = _documented()[name], Settings.model_fields[name].get_default(call_default_factory=True)
    number = re.fullmatch(r"(\d+) (MiB|GiB)|`([\d.]+)`", said)
    if number:
        meant = int(number[1]) * _UNITS[number[2]] if number[2] else float(number[3])
        assert meant == default
    elif default in (None, "", (), {}):
        assert said == _UNSET.get(name, "none")
    elif default == DEFAULT_DATA_DIR:
        assert said == "`~/.fletcher`"
    else:
        assert said == f"`{str(default).lower()}`"
