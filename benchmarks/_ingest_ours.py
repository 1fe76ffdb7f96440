"""What `benchmarks.ingest` measures of Fletcher: `python -m benchmarks._ingest_ours FOLDER DATA_DIR`."""

import json
import sys
import time
from pathlib import Path

from corpora import DataDirectory, ProjectKey
from fletcher.settings import load_settings
from fletcher.wiring import open_parts
from ingest import scan

_KEY = ProjectKey("local", "1")
_QUESTION = "Who hides the lantern in the harbour?"


def main() -> None:
    """Prints what it measured as JSON; everything is imported before the clock starts, as for the other side."""
    folder, data_dir = Path(sys.argv[1]), Path(sys.argv[2])
    settings = load_settings(data_dir=data_dir)
    with open_parts(settings, DataDirectory(settings.data_dir)) as parts:
        before = {passage.embedding_hash for passage in parts.catalog.passages(_KEY)}
        started = time.perf_counter()
        report = parts.ingestor.add(_KEY, scan([folder]))
        added_s = time.perf_counter() - started
        found = parts.retriever.search(_KEY, _QUESTION)
        searchable_s = time.perf_counter() - started
        assert found, "nothing was found"
        parts.ingestor.embed(_KEY)
        seconds = time.perf_counter() - started - (searchable_s - added_s)  # the other side asks nothing
        texts = {one.embedding_hash: one.embedding_text for one in parts.catalog.passages(_KEY)}
        assert parts.catalog.lacking_vectors(_KEY) == 0, "not everything has its vector"
    new = [text for known, text in texts.items() if known not in before]
    print(
        json.dumps(
            {
                "seconds": seconds,
                "searchable_s": searchable_s,
                "documents": len(report.documents),
                "unchanged": sum(one.status == "unchanged" for one in report.documents),
                "embedded": len(new),
                "characters": sum(map(len, new)),
            }
        )
    )


if __name__ == "__main__":
    main()
