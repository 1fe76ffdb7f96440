"""The 65 invariants of an Arrow document, and story lints."""

from arrow_project.checking.bookkeeping import bookkeeping
from arrow_project.checking.content import content
from arrow_project.checking.graph import graph
from arrow_project.checking.story import story
from arrow_project.checking.structure import structure
from arrow_project.checking.survey import survey
from arrow_project.checking.wording import wording
from arrow_project.errors import ParseError
from arrow_project.operation import Finding
from arrow_project.project import ArrowProject, parse


def check(project: ArrowProject) -> list[Finding]:
    """Every broken rule with its number and place, then the warnings.

    Rules 53, 56, 64 and 65 (they hold only for a player or an export) and story lints, whose rule is a word, are
    warnings.
    """
    document = project.document
    seen = survey(document)
    findings = [*document.findings, *wording(document), *structure(seen), *graph(seen)]
    findings += [*content(seen), *bookkeeping(seen), *story(seen)]
    errors = [finding for finding in findings if finding.severity == "error"]
    return errors + [finding for finding in findings if finding.severity == "warning"]


def check_text(text: str | bytes) -> list[Finding]:
    """As ``check``; a text that Arrow would not load is one finding."""
    try:
        project = parse(text)
    except ParseError as error:
        return [Finding(error.rule, "error", error.place, error.message)]
    return check(project)


__all__ = ["check", "check_text"]
