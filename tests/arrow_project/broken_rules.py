"""Which rules a document breaks, and the document that breaks none."""

from pathlib import Path

from arrow_project import check_text

LAMP = (Path(__file__).parent / "documents" / "lamp.arrow").read_text(encoding="utf-8")


def rules(text: str) -> list[int | str]:
    return [finding.rule for finding in check_text(text) if isinstance(finding.rule, int)]
