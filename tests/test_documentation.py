"""Every command that the documentation shows exists, with its options."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from fletcher.__main__ import app

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
_BLOCK = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _commands() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for page in PAGES:
        for block in _BLOCK.findall(page.read_text("utf-8")):
            for line in block.replace("\\\n", " ").splitlines():
                words = re.match(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?(fletcher|make) ?(.*)", line.strip())
                if words:
                    found.append((page.name, f"{words[1]} {words[2]}"))
    return found


@pytest.mark.parametrize(("page", "command"), _commands())
def test_a_documented_command_exists(page: str, command: str) -> None:
    program, *words = shlex.split(command, comments=True)
    if program == "make":
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
        assert {word for word in words if "=" not in word} <= targets
        return
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    if not words or words[0].startswith("-"):
        return
    known = group.commands[words[0]]
    options = {name for parameter in known.params for name in parameter.opts}
    used = {word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
    assert used <= options | {"--help"}, f"{page}: {command}"
