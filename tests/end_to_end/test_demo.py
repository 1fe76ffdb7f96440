"""The demo, as a newcomer runs it."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from arrow_project import check, parse
from corpora.samples import SAMPLE
from fletcher.commands import demo
from tests.end_to_end.conftest import fletcher
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, server_process
from tests.waiting import eventually

pytestmark = pytest.mark.long

# Python runs a module of this name at the start of each process, so in the readers as well.
WITNESS = """
import os, sys

def look(event, arguments):
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode()
    if host and host != "localhost" and not host.startswith("127.") and host != "::1":
        with open(os.environ["WITNESSED"], "a") as file:
            print(event, host, file=file)

sys.addaudithook(look)
open(os.environ["WITNESSED"], "a").close()
"""


def _shown() -> str:
    """The demo as README has it, shortened."""
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    return readme.partition("$ make demo\n")[2].partition("```")[0]


@pytest.mark.parametrize("linked", ["fletcher-demo", "fletcher-demo/data", "fletcher-demo/data/catalog.sqlite3"])
def test_links_that_came_with_a_folder_are_not_followed(tmp_path: Path, linked: str) -> None:
    own, there = tmp_path / "own", tmp_path / "clone" / linked
    there.parent.mkdir(parents=True)
    there.symlink_to(own)
    done = fletcher("demo", data_dir=tmp_path / "clone" / "fletcher-demo", cwd=tmp_path / "clone")
    assert done.code == 1
    assert "is a link, and the demo writes there" in " ".join(done.err.split())
    assert not own.exists()


def test_what_was_made_of_an_earlier_demos_story_stays_beside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = tmp_path / SAMPLE.arrow_file.name
    assert demo.put_aside(story) is None
    story.write_bytes(SAMPLE.arrow_file.read_bytes())
    assert demo.put_aside(story) is None
    for number, made in enumerate(["mine", "mine, too"], start=1):
        story.write_text(made)
        aside = demo.put_aside(story)
        assert aside is not None
        assert aside == tmp_path / f"{story.stem}-{number}.arrow"
        story.write_text("of the demo")
        demo.tell_of(aside, story)
        assert aside.read_text() == made
        assert aside.name in "".join(capsys.readouterr().out.split())
    again = demo.put_aside(story)
    story.write_text("of the demo")
    assert again is not None
    demo.tell_of(again, story)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{story.stem}-1.arrow",
        f"{story.stem}-2.arrow",
        story.name,
    ]


def test_the_demo_makes_the_whole_journey_and_asks_no_other_machine(tmp_path: Path) -> None:
    witnessed = tmp_path / "witnessed"
    (tmp_path / "witness").mkdir()
    (tmp_path / "witness" / "sitecustomize.py").write_text(WITNESS)
    modules = os.pathsep.join(filter(None, [str(tmp_path / "witness"), os.environ.get("PYTHONPATH")]))
    environment = {"PYTHONPATH": modules, "WITNESSED": str(witnessed)}
    changed, own = tmp_path / "demo" / SAMPLE.arrow_file.name, tmp_path / "own.txt"
    own.write_text("what a link in a project of somebody else's leads to")
    changed.parent.mkdir()
    if os.name != "nt":  # where it needs rights
        changed.symlink_to(own)
    done = fletcher("demo", data_dir=tmp_path / "demo", cwd=tmp_path, **environment)
    assert done.code == 0, done.err
    assert witnessed.read_text() == ""
    assert own.read_text().startswith("what a link")
    assert str(changed) in done.out.replace("\n", "")
    said = " ".join(done.out.split())
    assert not [shown for shown in re.split(r"\n|\.\.\.|…", _shown()) if " ".join(shown.split()) not in said]
    assert "fletcher demo --open" in done.out
    assert "http://127.0.0.1:8000/?project=1&tab=Ask" in done.out
    before, after = parse(SAMPLE.arrow_file.read_bytes()), parse(changed.read_bytes())
    assert before.to_text() != after.to_text()
    assert [finding for finding in check(after) if finding.severity == "error"] == []


def test_what_to_type_next_is_what_a_shell_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / ".venv" / "bin" / ("fletcher.exe" if os.name == "nt" else "fletcher")
    program.parent.mkdir(parents=True)
    program.touch(0o755)
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demo.program() == str(Path(".venv") / "bin" / "fletcher")
    monkeypatch.setenv("PATH", str(program.parent))
    assert demo.program() == "fletcher"


def test_the_demo_opens_the_page_and_serves_it_until_it_is_stopped(ingested: Path, tmp_path: Path) -> None:
    shutil.copytree(ingested, tmp_path / "demo" / "data")  # as after a first demo, which the test above makes
    notes, opened = tmp_path / "notes.py", tmp_path / "opened"
    notes.write_text(f"import sys\nopen({str(opened)!r}, 'w').write(sys.argv[1])")
    # Which one is opened is the environment's to say.
    environment = {"PATH": str(tmp_path), "BROWSER": f"{sys.executable} {notes} %s"}
    command = [sys.executable, "-m", "fletcher", "demo", "--open", "--data-dir", tmp_path / "demo"]
    said = tmp_path / "said"
    with said.open("w") as out, server_process(command, tmp_path, CLEAN_ENVIRONMENT | environment, out) as server:
        assert httpx.get(f"{server.url}/", timeout=PATIENCE_S).status_code == 200
        named = f"{server.url}/?project=1&tab=Ask&question=Why"
        eventually(lambda: opened.exists() and opened.read_text().startswith(named))
        server.process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        server.wait()
    assert named in said.read_text()
    assert os.name != "posix" or server.process.returncode in (0, 130)


def test_of_a_browser_that_is_nowhere_it_is_told(tmp_path: Path) -> None:
    program = "from fletcher.commands.demo import _tell_address as tell; tell('http://127.0.0.1:1', opens=True)"
    program += "; import threading; [one.join() for one in threading.enumerate() if one.daemon]"
    environment = CLEAN_ENVIRONMENT | {"PATH": str(tmp_path), "BROWSER": "nowhere %s"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert "http://127.0.0.1:1/?project=1&tab=Ask" in done.stdout
    assert "open the address yourself" in done.stdout
