"""The whole journey on the sample project: documents in, a question, a scene built over the real socket."""

import json
import os
import shutil
import sys
import threading
import webbrowser
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer
from rich.markup import escape
from rich.rule import Rule

from arrow_project import ArrowProject, check, parse
from corpora import Owner, ProjectKey, replace_whole
from corpora.samples import SAMPLE
from fletcher import console, documents
from fletcher.api import Api
from fletcher.commands.demo_calls import CallLog
from fletcher.errors import CommandError
from fletcher.options import Workspace, settings_for
from fletcher.settings import Settings
from ingest import counted, scan

if TYPE_CHECKING:
    from fletcher.demo_client import DemoClient

_PROJECT = 1
_PAGE = "/?" + urlencode({"project": _PROJECT, "tab": "Ask", "question": SAMPLE.question})
_USUAL_URL = "http://127.0.0.1:8000"

Folder = Annotated[Path, typer.Option("--data-dir", help="Where the demo keeps its data and the changed project")]

Opens = Annotated[bool, typer.Option("--open", help="Then show the same in a browser, until Ctrl-C")]


def demo(data_dir: Folder = Path("fletcher-demo"), open_page: Opens = False, workspace: Workspace = "local") -> None:
    """Show what Fletcher does, on a sample project: no key, no network, ends by itself."""
    settings = settings_for(data_dir / "data", workspace).in_directory(data_dir / "data")
    refuse_links(data_dir)
    story = data_dir / SAMPLE.arrow_file.name
    _heading(f"1. Reading the design documents of “{SAMPLE.title}”")
    with Api(settings, ProjectKey("local", str(_PROJECT)), embeds=True, talks=True) as api:
        _show_ingest(api)
        aside = put_aside(story)
        # In place of what is there: a link may lead to a file of the user's.
        replace_whole(story, SAMPLE.arrow_file.read_bytes(), mode=0o644)
        _show_conversation(settings, api.owner, story)
        owner = api.owner
    if aside is not None:
        tell_of(aside, story)
    _show_next_steps(story)
    _heading("The same in a browser")
    if owner.url and owner.pid != os.getpid():  # a server that runs on the demo's data, and goes on
        _tell_address(owner.url, opens=open_page)
    elif open_page:
        _serve_page(settings, data_dir)
    else:
        console.out.print(f"  {program()} demo --open", markup=False)
        console.out.print(f"or {program()} serve --data-dir {settings.data_dir}", markup=False, highlight=False)
        console.out.print(f"and then {_USUAL_URL}/?project={_PROJECT}&tab=Ask", markup=False, highlight=False)


def refuse_links(data_dir: Path) -> None:
    """The folder may have come with somebody's project, and its links lead to the user's own documents."""
    data = data_dir / "data"
    for path in (data_dir, data, *data.rglob("*")):
        if path.is_symlink():
            raise CommandError(f"{path} is a link, and the demo writes there. Remove it, or name a --data-dir.")


def put_aside(story: Path) -> Path | None:
    """What the user may have made of an earlier demo's story stays, beside the new one; None where nothing is there."""
    if story.is_symlink() or not story.is_file() or story.read_bytes() == SAMPLE.arrow_file.read_bytes():
        return None
    names = (story.with_stem(f"{story.stem}-{number}") for number in count(1))
    return story.rename(next(path for path in names if not path.exists()))


def tell_of(aside: Path, story: Path) -> None:
    """Unless nothing had been made of it."""
    if aside.read_bytes() == story.read_bytes():
        aside.unlink()
    else:
        console.out.print(f"What you had made of an earlier demo's is in {aside}.", markup=False)


def _show_ingest(api: Api) -> None:
    with console.ingest_progress() as progress:
        report = documents.ingest(api, scan(SAMPLE.documents), sync=False, progress=progress)
    console.print_report(report)
    if any(entry["error"] for entry in report["documents"]):
        raise CommandError("The sample documents could not all be read; see the table.")


def _show_conversation(settings: Settings, owner: Owner, story: Path) -> None:
    from fletcher.demo_client import DemoClient

    before = parse(story.read_bytes())
    _heading("2. A question, over the socket")
    console.out.print(f"server {owner.url}, model {settings.model_name}", markup=False, style="dim")
    with DemoClient(owner, before.copy(), _PROJECT) as client:
        _show_turn(client, SAMPLE.question)
        _heading("3. A request that changes the project, operation by operation")
        _show_turn(client, SAMPLE.request)
        replace_whole(story, client.project.to_text().encode())
        _show_result(before, client.project, story)


def _show_turn(client: "DemoClient", message: str) -> None:
    console.out.print(f"\n[bold]You:[/] {message}")
    calls = CallLog(console.out, client.project)
    for text in client.say(message, calls.add):
        calls.flush()
        console.out.print(f"\n[bold]Fletcher:[/] {escape(text)}")


def _show_result(before: ArrowProject, after: ArrowProject, story: Path) -> None:
    _heading("4. The project afterwards")
    grown = {kind: count - _counts(before)[kind] for kind, count in _counts(after).items()}
    broken = [finding for finding in check(after) if finding.severity == "error"]
    if broken or not any(grown.values()):
        raise CommandError(f"The demo did not end well: {broken or 'nothing was added'}.")
    console.out.print("Added: " + ", ".join(counted(count, kind) for kind, count in grown.items() if count) + ".")
    console.out.print("Checked: it breaks no rule of Arrow's.")
    console.out.print(f"The changed project: [bold]{escape(str(story))}[/]")


def _counts(project: ArrowProject) -> dict[str, int]:
    resources = json.loads(project.to_text())["resources"]
    counts = {kind: len(resources[f"{kind}s"]) for kind in ("character", "scene", "node")}
    entries = [entry for scene in resources["scenes"].values() for entry in scene["map"].values()]
    return counts | {"connection": sum(len(entry.get("io", ())) for entry in entries)}


def program() -> str:
    """`fletcher` as a shell finds it from here."""
    if shutil.which("fletcher"):
        return "fletcher"
    beside = Path(sys.executable).with_name("fletcher")
    return str(beside.relative_to(Path.cwd()) if beside.is_relative_to(Path.cwd()) else beside)


def _show_next_steps(story: Path) -> None:
    _heading("Now with your own folder and project")
    for command in (
        "ingest path/to/your/documents --project 1",
        'search "a question about your story" --project 1',
        "serve",
    ):
        console.out.print(f"  {program()} {command}", markup=False)
    console.out.print(f"To see the scene, open {story} in Arrow.", markup=False, style="dim")


def _serve_page(settings: Settings, data_dir: Path) -> None:
    """Serves the demo's data until Ctrl-C; the changed story can be picked on the page."""
    from fletcher.commands.serve import run_server

    shown = settings.model_copy(update={"page": True, "folders": {"local": (data_dir.absolute(),)}})
    console.out.print("Ctrl-C ends it.", style="dim")
    run_server(shown, shown.read_tokens(), "127.0.0.1", 0, lambda url: _tell_address(url, opens=True))


def _tell_address(url: str, *, opens: bool) -> None:
    console.out.print(f"{url}{_PAGE}", soft_wrap=True, highlight=False)
    if opens:
        # A browser in a terminal takes the thread until it is closed, and the server has to answer it.
        threading.Thread(target=_open, args=(f"{url}{_PAGE}",), daemon=True).start()


def _open(url: str) -> None:
    if not webbrowser.open(url):
        console.out.print("No browser can be opened here: open the address yourself.")


def _heading(text: str) -> None:
    console.out.print()
    console.out.print(Rule(text, align="left") if console.out.is_terminal else text)
