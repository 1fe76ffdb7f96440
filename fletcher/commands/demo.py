"""The whole journey on the sample project: documents in, a question, a scene built over the real socket."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.rule import Rule

from arrow_project import ArrowProject, check, parse
from corpora import Owner, ProjectKey
from corpora.samples import SAMPLE
from fletcher import console, documents
from fletcher.api import Api, Connection
from fletcher.commands.demo_calls import CallLog
from fletcher.errors import CommandError
from fletcher.options import Workspace, settings_for
from fletcher.settings import Settings
from ingest import scan

if TYPE_CHECKING:
    from fletcher.demo_client import DemoClient

_PROJECT = 1

Folder = Annotated[Path, typer.Option("--data-dir", help="Where the demo keeps its data and the changed project")]


def demo(data_dir: Folder = Path("fletcher-demo"), workspace: Workspace = "local") -> None:
    """Show what Fletcher does, on a sample project: no key, no network, ends by itself."""
    settings = settings_for(data_dir / "data", workspace).in_directory(data_dir / "data")
    story = data_dir / SAMPLE.arrow_file.name
    _heading(f"1. Reading the design documents of “{SAMPLE.title}”")
    with Connection(settings, ProjectKey("local", str(_PROJECT)), embeds=True, talks=True) as connection:
        connection.do(_show_ingest)
        shutil.copyfile(SAMPLE.arrow_file, story)
        connection.do(lambda api: _show_conversation(settings, api.owner, story))
    _show_next_steps(story)


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
    console.out.print(f"server {owner.url}, model {settings.model_name}", style="dim")
    with DemoClient(owner, before.copy(), _PROJECT) as client:
        _show_turn(client, SAMPLE.question)
        _heading("3. A request that changes the project, operation by operation")
        _show_turn(client, SAMPLE.request)
        story.write_bytes(client.project.to_text().encode())
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
    console.out.print("Added: " + ", ".join(f"{kind} {count}" for kind, count in grown.items() if count) + ".")
    console.out.print("Checked: it breaks no rule of Arrow's.")
    console.out.print(f"The changed project: [bold]{story}[/]")


def _counts(project: ArrowProject) -> dict[str, int]:
    resources = json.loads(project.to_text())["resources"]
    counts = {kind: len(resources[kind]) for kind in ("characters", "scenes", "nodes")}
    entries = [entry for scene in resources["scenes"].values() for entry in scene["map"].values()]
    return counts | {"connections": sum(len(entry.get("io", ())) for entry in entries)}


def _show_next_steps(story: Path) -> None:
    _heading("Now with your own folder and project")
    for command in (
        "fletcher ingest path/to/your/documents --project 1",
        'fletcher search "a question about your story" --project 1',
        "fletcher serve",
    ):
        console.out.print(f"  .venv/bin/{command}", markup=False)
    console.out.print(f"To see the scene, open {story} in Arrow.", style="dim")


def _heading(text: str) -> None:
    console.out.print()
    console.out.print(Rule(text, align="left") if console.out.is_terminal else text)
