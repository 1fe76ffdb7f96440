"""The 65 invariants of an Arrow project, and story lints."""

from itertools import islice

from arrow_project.checking.bookkeeping import bookkeeping
from arrow_project.checking.content import content
from arrow_project.checking.findings import Findings, GoOn, found, node_place
from arrow_project.checking.graph import graph
from arrow_project.checking.story import story
from arrow_project.checking.structure import structure
from arrow_project.checking.survey import survey
from arrow_project.checking.wording import wording
from arrow_project.errors import ParseError
from arrow_project.loading import MOST_FINDINGS
from arrow_project.operation import Finding
from arrow_project.project import ArrowProject, parse
from arrow_project.project_data import ProjectData

_FRACTION = 63


def _on() -> None:
    """Nobody ends it."""


def check(project: ArrowProject, go_on: GoOn = _on) -> list[Finding]:
    """Every broken rule with its number and place, then the warnings.

    Rules 53, 56, 64 and 65 (they hold only for a player or an export) and story lints, whose rule is a word, are
    warnings.

    Of more than a few thousand of a kind only the first; the last finding says so.

    Args:
        project: The story.
        go_on: Called again and again; what it raises ends the check.
    """
    data = project.data
    seen = survey(data, go_on)
    # first what nodes hold: slots and references that follow from a broken field are not judged
    held = _first(content(seen, go_on))
    findings = [
        *_first(wording(data)), *_first(structure(seen)), *_first(graph(seen)), *held,
        *_first(bookkeeping(seen)), *_first(story(seen)),
    ]  # fmt: skip
    places = {finding.place for finding in findings if finding.severity == "error"}
    # a fraction where not even a whole number would do is said once
    loaded = (f for f in data.findings if f.rule != _FRACTION or _thing(data, f.place) not in places)
    findings = [*_first(loaded), *findings]
    errors = [finding for finding in findings if finding.severity == "error"]
    return errors + [finding for finding in findings if finding.severity == "warning"]


def _first(of_a_kind: Findings) -> list[Finding]:
    """The first of them, and one more finding where there are others."""
    findings = list(islice(of_a_kind, MOST_FINDINGS))
    if next(of_a_kind, None) is not None:
        message = f"There are more than {MOST_FINDINGS:,} findings of this kind; these are the first."
        findings.append(found("more-findings", findings[-1].place, message))
    return findings


def _thing(project: ProjectData, path: str) -> str:
    """The place of the thing that a path into the project leads to."""
    match path.split("."):
        case ["resources", "scenes", scene, "map", node, *_]:
            return f"scene {scene}, node {node}"
        case ["resources", "nodes", node, *_] if node.isdecimal():  # else it is of a key with dots
            return node_place(project, int(node))
        case ["resources", table, key, *_]:
            return f"{table.removesuffix('s')} {key}"
        case parts:
            return ".".join(parts[:3])


def check_text(text: str | bytes, go_on: GoOn = _on) -> list[Finding]:
    """As ``check``; a text that Arrow would not load is one finding.

    Raises:
        TypeError: it is neither str nor bytes.
    """
    try:
        project = parse(text)
    except ParseError as error:
        return [Finding(error.rule, "error", error.place, error.message)]
    return check(project, go_on)


__all__ = ["check", "check_text"]
