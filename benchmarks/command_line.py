"""How long commands take while a server runs: ``python -m benchmarks.command_line``.

The best of several runs, beside ``python -c "import httpx"``, which is the least that a client in Python can take.
Exit code 1 if `search` takes more than 3.2 times, or `chat` more than 4.8 times as long: 0.4 s and 0.6 s where that
takes 0.125 s.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks._server_process import running
from corpora.samples import SAMPLE

_RUNS = 7
_MOST = {"search": 3.2, "chat -m": 4.8}


def _best(command: Sequence[str], cwd: Path) -> float:
    """Seconds of the quickest run."""
    times: list[float] = []
    for _ in range(_RUNS):
        began = time.perf_counter()
        subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> int:
    """Prints the times; returns the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        here, data = Path(folder), Path(folder) / "data"
        fletcher = [sys.executable, "-m", "fletcher"]
        (here / "story.arrow").write_bytes(SAMPLE.arrow_file.read_bytes())
        where = ["--project", "1", "--data-dir", str(data)]
        subprocess.run([*fletcher, "ingest", str(SAMPLE.documents), *where], check=True, stdout=subprocess.DEVNULL)
        commands = {
            "import httpx": [sys.executable, "-c", "import httpx"],
            "search": [*fletcher, "search", SAMPLE.question, *where],
            "chat -m": [*fletcher, "chat", "story.arrow", "-m", SAMPLE.question, *where],
            "documents": [*fletcher, "documents", *where],
        }
        serve = [*fletcher, "serve", "--data-dir", str(data), "--port"]
        with running("fletcher", serve, "/healthz", {}, here):
            seconds = {name: _best(command, here) for name, command in commands.items()}
    least = seconds["import httpx"]
    table = Table("command", "seconds", "times import httpx")
    for name, taken in seconds.items():
        table.add_row(name, f"{taken:.2f}", f"{taken / least:.1f}")
    Console().print(table)
    return int(any(seconds[name] > most * least for name, most in _MOST.items()))


if __name__ == "__main__":
    sys.exit(main())
