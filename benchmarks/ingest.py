"""How long the sample documents take the first time, unchanged, and with one sentence changed.

The peer is the first run; each run is a whole process, as a user has it.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from corpora.samples import SAMPLE


def main() -> None:
    """Prints the table."""
    table = Table("run", "seconds", "ratio to the first")
    with tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder) / "data"
        documents = Path(shutil.copytree(SAMPLE.documents, Path(folder) / "documents"))
        first = _ingest(documents, data_dir)
        unchanged = _ingest(documents, data_dir)
        notes = documents / "quests.md"
        notes.write_text(notes.read_text("utf-8") + "\n\nThe last line is new.\n", "utf-8")
        changed = _ingest(documents, data_dir)
    for name, seconds in (("first", first), ("unchanged", unchanged), ("one line added", changed)):
        table.add_row(name, f"{seconds:.2f}", f"{seconds / first:.3f}")
    Console().print(table)


def _ingest(documents: Path, data_dir: Path) -> float:
    command = ["ingest", str(documents), "--project", "1", "--json", "--data-dir", str(data_dir)]
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "fletcher", *command], capture_output=True, check=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
