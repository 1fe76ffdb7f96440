"""requirements.lock: what users install, the tested versions, every file with its hash."""

import re
import tomllib
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>[^\s;]+)")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(file: str) -> dict[str, str]:
    """Versions by name."""
    found = (PINNED.match(line) for line in (ROOT / file).read_text("utf-8").splitlines())
    return {canonical(pin["name"]): pin["version"] for pin in found if pin}


def entries() -> list[str]:
    """Each requirement with its lines."""
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    return re.split(r"\n(?=\S)", text.strip())


def test_every_requirement_is_pinned_and_has_hashes() -> None:
    assert len(entries()) > 100
    for entry in entries():
        assert PINNED.match(entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry


def test_the_versions_are_those_that_are_tested() -> None:
    locked, tested = pins("requirements.lock"), pins("constraints.txt")
    assert {name: version for name, version in locked.items() if tested.get(name, version) != version} == {}


def test_all_that_fletcher_needs_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    names = {canonical(re.split(r"[\[<>=;~! ]", need)[0]) for need in needed}
    assert names - pins("requirements.lock").keys() == set()


def test_every_dependency_has_a_lower_bound_that_the_tested_version_meets() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    needed = [Requirement(need) for need in (*project["dependencies"], *extras)]
    tested = pins("constraints.txt")
    for need in (need for need in needed if need.name != project["name"]):
        assert any(bound.operator == ">=" for bound in need.specifier), f"{need} has no lower bound"
        assert tested[canonical(need.name)] in need.specifier, f"{need} is not what is tested"
