"""Every format and every reason for which a document is not read is in the guide, with its remedy."""

import re
from pathlib import Path

from ingest.readers import SUFFIXES

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "documents.md").read_text("utf-8")
# The first constant in capitals among the arguments of what carries a reason.
REASON = re.compile(
    r"\b(?:ReadError|Refusal|Problem)\((?:\s*[^()\"]*(?:\"(?:skipped|failed)\",)?\s*)\"([A-Z][A-Z_0-9]+)\""
)


def test_every_reason_is_explained() -> None:
    folders = (ROOT / "ingest", ROOT / "fletcher", ROOT / "server/http")
    sources = [source for folder in folders for source in folder.rglob("*.py")]
    reasons = {reason for source in sources for reason in REASON.findall(source.read_text("utf-8"))}
    assert {"EMPTY", "UNKNOWN_FORMAT", "NOT_A_FILE", "DUPLICATE_NAME", "TIMEOUT", "INVALID_BASE64"} <= reasons
    explained = set(re.findall(r"^\| `([A-Z_0-9]+)` \| .+ \| .+ \|$", GUIDE, re.MULTILINE))
    assert reasons <= explained


def test_every_suffix_is_named() -> None:
    assert {suffix for suffix in SUFFIXES if f"`{suffix}`" not in GUIDE} == set()
