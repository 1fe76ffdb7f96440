"""Every example of README and docs/ does what is said, on documents, a story and a server, or it is said here why not.

docs/http.md and docs/protocol.md have tests of their own: their examples follow one from another.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from corpora.samples import SAMPLE
from tests.forked import finished, started
from tests.mcp_server.test_stdio import INITIALIZE
from tests.server.test_uploads import pdf
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, server_process

ROOT = Path(__file__).parents[2]
_OF_THEIR_OWN = ("http.md", "protocol.md")
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in _OF_THEIR_OWN)]
_PROGRAMS = ("bash", "curl", "sqlite3")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# What an example begins with, by the reason for which it is not run.
NOT_RUN = {
    "needs the package index": ("python3 -m venv", ".venv/bin/pip install"),
    "needs a hub of models": ("fletcher evaluate FOLDER --embedding-model",),
    "needs Windows": ("py -3.11",),
    "needs Arrow, which tests/clients/arrow has": (".venv/bin/fletcher arrow ",),
    "needs Claude Code; what it starts is run below": ("claude mcp add",),
    "needs a key, which tests/end_to_end/test_anthropic.py makes do without": ("ANTHROPIC_API_KEY=",),
    "needs nginx": ("upstream fletcher",),
    "needs LangChain; tests/retrieval/test_stock_readers.py reads the index so": ("client = chromadb",),
    "needs PostgreSQL; tests/end_to_end/test_two_servers.py has it": (
        "initdb", "pg_ctl", "createdb", "chroma run", "pg_dump", "pg_restore",
        "export FLETCHER_DATABASE_URL", "export FLETCHER_CHROMA_URL", "fletcher serve --port",
    ),
    "needs FairytaleQA": ("fletcher evaluate fairytaleqa",),
    "takes minutes; test_demo.py and test_evaluate_agent.py do so": (
        "make demo", "$ make demo", ".venv/bin/fletcher evaluate-agent", ".venv/bin/python -m benchmarks",
    ),
    "is a request for the planner, which tests/agent/local/test_forms.py makes": ("```text",),
    "stays until Ctrl-C, as test_demo.py has it": (".venv/bin/fletcher demo --open",),
    "is the server that all others are run beside": (".venv/bin/fletcher serve ",),
}  # fmt: skip
# A server's log is read when it has ended, and this command wants the data directory for itself.
AFTERWARDS = ('{"time"', "fletcher reindex --from-originals")
_STAYS = "--watch"

# The embedding model is a small one, which only those load that make vectors.
_MAKE_VECTORS = ("serve", "reindex", "evaluate")
SMALL = """
import sys
import fletcher.wiring
from fletcher.__main__ import main
from tests.retrieval.small_embedder import SmallEmbedder

fletcher.wiring.Embedder = lambda name: SmallEmbedder()
main(sys.argv[1:])
"""
PROGRAM = f"""#!/bin/sh
case "$1" in
    {"|".join(_MAKE_VECTORS)}) exec '{sys.executable}' -c '{SMALL}' "$@" ;;
    *) exec '{sys.executable}' -m fletcher "$@" ;;
esac
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        sys.platform == "win32" or not all(map(shutil.which, _PROGRAMS)), reason=f"needs {', '.join(_PROGRAMS)}"
    ),
]


@dataclass(frozen=True)
class Example:
    """One command, or all of a block that has none."""

    page: str
    language: str
    text: str

    def begins_with(self, words: str | tuple[str, ...]) -> bool:
        return self.text.startswith(words) or words == f"```{self.language}"


_NOT_RUN = [words for group in NOT_RUN.values() for words in group]


def examples() -> Iterator[Example]:
    for page in PAGES:
        for language, block in _BLOCK.findall(page.read_text("utf-8")):
            commands = block.replace("\\\n", " ").splitlines() if language == "sh" else [block]
            yield from (Example(page.name, language, command) for command in commands if command.strip())


class Reader:
    """Somebody who pastes one example after the other, in a folder with what they name."""

    def __init__(self, here: Path) -> None:
        self.here = here
        self.url = ""
        self.said = ""
        self.log = ""
        self.configured: list[list[str]] = []
        self.environment = CLEAN_ENVIRONMENT | {
            "HOME": str(here), "PATH": f"{here / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "FLETCHER_MODEL": "local", "COLUMNS": "1000",
        }  # fmt: skip

    def fletcher(self, command: str) -> str:
        _, *words = shlex.split(self._here(command), comments=True)
        program = ["-c", SMALL] if words[0] in _MAKE_VECTORS else ["-m", "fletcher"]
        done = finished([sys.executable, *program, *words], self.here, self.environment)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def shell(self, command: str) -> str:
        command = command.replace("curl ", "curl --silent --show-error --fail-with-body --noproxy '*' ")
        done = subprocess.run(
            ["bash", "-ec", self._here(command)],
            cwd=self.here, env=self.environment, input="", capture_output=True, encoding="utf-8", timeout=PATIENCE_S,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def _here(self, text: str) -> str:
        return re.sub(r"http://127\.0\.0\.1:\d+", self.url, text).replace("/home/ada", str(self.here))

    def follows(self, example: Example) -> None:
        match example.language:
            case "sh" if _STAYS in example.text:
                self._stops(example.text)
            case "sh" if example.begins_with(("fletcher ", ".venv/bin/fletcher ")):
                self.said += self.fletcher(example.text)
            case "sh":
                # What an export sets is read by the next command.
                next_one = "\nfletcher documents --project 1" if example.text.startswith("export ") else ""
                self.said += self.shell(example.text + next_one)
            case "":
                for shown in re.split(r"\n|\.\.\.|…", example.text):
                    assert shown in self.said, f"{example.page}: {shown}"
            case "json":
                self._configures(json.loads(self._here(example.text)))
            case "python":
                exec(compile(self._here(example.text), example.page, "exec"), {})
            case _:
                raise AssertionError(f"{example} is neither run nor in NOT_RUN")

    def _stops(self, command: str) -> None:
        name, *words = shlex.split(command, comments=True)
        assert name in ("fletcher", ".venv/bin/fletcher"), command
        ours, its = os.pipe()
        program = [sys.executable, "-m", "fletcher", *words]
        with os.fdopen(ours) as said, started(program, self.here, self.environment, stderr=its) as process:
            os.close(its)
            try:
                assert any("Ctrl-C ends it" in line for line in said), command
                process.send_signal(signal.SIGINT)
                assert process.wait(PATIENCE_S) == 0, command
            finally:
                process.kill()

    def _configures(self, shown: dict[str, Any]) -> None:
        if shown.get("event") == "turn":  # a line of the log
            lines = (json.loads(line) for line in self.log.splitlines() if line.startswith("{"))
            assert shown.keys() == next(line for line in lines if line["event"] == "turn").keys()
            return
        ((assistants,),) = (group.values() for group in shown.values())
        words = [assistants["command"], *assistants["args"]]
        if words in self.configured:
            return
        self.configured.append(words)
        done = subprocess.run(
            words,
            cwd=self.here, env=self.environment, input=json.dumps(INITIALIZE) + "\n", capture_output=True,
            encoding="utf-8", timeout=PATIENCE_S, check=True,
        )  # fmt: skip
        assert "serverInfo" in done.stdout, done.stdout + done.stderr


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    for folder in (".venv/bin", "fletcher/.venv/bin", "game", "srv/ada", "srv/bo", "home/me/games"):
        (tmp_path / folder).mkdir(parents=True)
    for bin_folder in (tmp_path / ".venv/bin", tmp_path / "fletcher/.venv/bin"):
        (bin_folder / "fletcher").write_text(PROGRAM, "utf-8")
        (bin_folder / "fletcher").chmod(0o755)
    for story in ("story.arrow", "game/story.arrow"):
        shutil.copyfile(SAMPLE.arrow_file, tmp_path / story)
    shutil.copytree(SAMPLE.documents, tmp_path / "path/to/your/documents")
    shutil.copytree(SAMPLE.questions.parent, tmp_path / "corpora/samples/inland-light")
    for documents in ("design", "folder/documents"):
        (tmp_path / "path/to" / documents).mkdir(parents=True)
        (tmp_path / "path/to" / documents / "pilots.md").write_text("Dry pilots cross in the dark.", "utf-8")
    question = {"id": "1", "document": "pilots.md", "question": SAMPLE.question, "gold": [[0, 29]]}
    (tmp_path / "path/to/folder/questions.jsonl").write_text(json.dumps(question), "utf-8")
    (tmp_path / "notes.md").write_text("The ferry is called Bittern.", "utf-8")
    (tmp_path / "bible.pdf").write_bytes(pdf("Elena keeps the lighthouse."))
    return Reader(tmp_path)


def test_every_example_does_what_is_said(reader: Reader) -> None:
    run = [example for example in examples() if not any(map(example.begins_with, _NOT_RUN))]
    later = [example for example in run if any(map(example.begins_with, AFTERWARDS))]
    words = [sys.executable, "-c", SMALL, "serve", "--port", "0"]
    with server_process(words, reader.here, reader.environment) as server:
        reader.url = server.url
        for example in run:
            if example not in later:
                reader.follows(example)
        reader.log = server.end()
    for example in later:
        reader.follows(example)


def test_no_reason_is_left_over() -> None:
    shown = list(examples())
    assert not [words for words in _NOT_RUN if not any(example.begins_with(words) for example in shown)]
