"""Commands start quickly, because they load only what they need."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from corpora import DataDirectory
from server import Access
from tests.agent.story import story_text
from tests.server.house import house

pytestmark = pytest.mark.long

HEAVY = {"torch", "sentence_transformers", "chromadb", "llama_index", "pydantic_ai", "anthropic", "fastapi", "pymupdf"}
_OF_THE_OWNER = HEAVY | {"sqlalchemy", "numpy", "uvicorn", "lxml", "arrow_project", "agent", "server"}


def test_the_command_line_loads_nothing_heavy() -> None:
    program = f"import sys, fletcher.__main__; print(*({HEAVY!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_what_each_reader_loads_of_the_program_that_was_started_is_nothing() -> None:
    scripts = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, _, _ = scripts["fletcher"].partition(":")
    program = f"import sys; before = {{*sys.modules}}; import {module}; print(*sorted(sys.modules.keys() - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["fletcher", module]


@pytest.mark.parametrize("command", [("search", "lamp", "--project", "1"), ("chat", "story.arrow", "-m", "undo")])
def test_a_command_that_finds_a_server_leaves_the_work_to_it(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "story.arrow").write_text(story_text(), "utf-8")
    data = tmp_path / "data"
    with DataDirectory(data).own() as ownership:
        owner = ownership.announce("http://127.0.0.1:1")
        with house(data, local=True, access=Access(owner_key=owner.key)) as home:
            home.put("bible.md", "Elena keeps the lamp.")
            ownership.announce(home.url, owner.key)
            program = (
                "import sys\nfrom fletcher.__main__ import main\n"
                f"try: main({[*command, '--data-dir', str(data)]!r})\nexcept SystemExit: pass\n"
                f"print('loaded', *({_OF_THE_OWNER!r} & sys.modules.keys()))"
            )
            done = subprocess.run(
                [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
            )
    assert done.stdout.splitlines()[-1].split() == ["loaded"], done
    assert "lamp" in done.stdout or "no turn to take back" in done.stderr


def test_a_server_that_is_ended_at_once_waits_for_the_model_that_it_loads(tmp_path: Path) -> None:
    """Cut off in the midst of it, the library would abort the process."""
    program = (
        "import sys, threading\n"
        "from fletcher.wiring import open_parts\n"
        "from fletcher.settings import load_settings\n"
        "from corpora import DataDirectory\n"
        "class Slow:\n"
        "    def __init__(self, _): pass\n"
        "    @property\n"
        "    def dimension(self):\n"
        "        threading.main_thread().join()\n"
        "        sys.stdout.write('loaded')\n"
        "        sys.stdout.flush()\n"
        "import fletcher.wiring; fletcher.wiring.Embedder = Slow\n"
        f"directory = DataDirectory({str(tmp_path / 'data')!r})\n"
        "with open_parts(load_settings(data_dir=directory.path), directory) as parts:\n"
        "    parts.catalog.record_embedding_model('slow', 3)\n"
        "    parts.load_embedder()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "loaded"
