"""Commands that change an .arrow file: chat, undo."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from corpora import ProjectKey
from fletcher import console
from fletcher.errors import CommandError
from fletcher.options import (
    ArrowFile,
    AsJson,
    DataDir,
    SceneId,
    Selected,
    Workspace,
    in_utf8,
    key_of,
    node_ids,
    settings_for,
)
from fletcher.settings import Settings
from fletcher.story_file import StoryFile, kept_stories, read_story, said_if_not_written


def chat(
    file: ArrowFile,
    message: Annotated[
        str | None,
        typer.Option(
            "-m", "--message", callback=in_utf8, help="What to say; without it, a conversation", show_default=False
        ),
    ] = None,
    project: Annotated[str, typer.Option(help="The project whose documents are read")] = "1",
    scene: SceneId = None,
    select: Selected = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the changes; a yes to them makes these")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree beforehand to whatever would be asked")] = False,
    pending: Annotated[
        str | None, typer.Option(callback=in_utf8, help="The question that the message answers, by its id")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Talk about a project: a question is answered, a request changes the file.

    With -m one message, which answers the question that is open about the file, if there is one. Without, a
    conversation: Ctrl-C stops a turn, Ctrl-D ends it.
    """
    from fletcher.api import Api
    from fletcher.conversation import converse
    from fletcher.turns import FileTurns

    if dry_run and pending is not None:
        raise typer.BadParameter("--dry-run cannot answer a question: the answer would count.")
    if message is None and (as_json or pending is not None):
        raise typer.BadParameter("--json and --pending need a message: -m MESSAGE.")
    if message is not None and not message.strip():
        raise typer.BadParameter("-m says nothing; without it, there is a conversation.")
    settings = settings_for(data_dir, workspace)
    read_story(file)  # before whatever takes a while
    story = story_file(settings, file)
    body = {
        "current_scene_id": scene,
        "selected_node_ids": list(node_ids(select)),
        "mode": "plan" if dry_run else "apply",
    }
    with Api(settings, key_of(workspace, project), talks=True) as api:
        if message is None:
            converse(FileTurns(api, story, body, agreed=yes), file)
            return
        turns = FileTurns(api, story, body, agreed=yes, question=pending or story.open_question(api.key))
        try:
            with console.waiting("Thinking"):
                answer = turns.say(message)
        except KeyboardInterrupt:
            turns.stop()
            raise
    if dry_run:
        answer["changed"] = bool(answer["diff"])  # what a yes would do
    console.print_json(answer) if as_json else console.print_turn(answer)
    if not _is_done(answer, planned=dry_run):
        raise typer.Exit(1)


def _is_done(answer: dict[str, Any], *, planned: bool) -> bool:
    """Whether all of the message was done, or planned."""
    question = answer["question"]
    if question is not None and not (planned and question["kind"] == "plan"):
        return False
    return all(operation["success"] for operation in answer["operations"][-1:]) and not answer["not_done"]


def undo(
    file: ArrowFile,
    project: Annotated[str, typer.Option(help="The project that the turn was in")] = "1",
    as_json: AsJson = False,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
) -> None:
    """Restore a file as it was before the last turn; again: before the one before it, 20 turns deep."""
    settings, key = settings_for(data_dir, workspace), key_of(workspace, project)
    read_story(file)  # before whatever takes a while
    story = story_file(settings, file)
    question = None
    try:
        with said_if_not_written(file):
            story.undo()
    except CommandError:
        answer = _undone_elsewhere(settings, key, story)
        if answer is None or not (answer["changed"] or answer["question"]):
            raise
        question = answer["question"]
    if as_json:
        console.print_json({"file": str(file)} | ({"question": question} if question else {}))
    elif question:
        console.out.print(question["text"], markup=False, style="bold")
        reply = f"fletcher chat {shlex.quote(str(file))} -m yes, or -m no, and this command's other options"
        console.out.print(f"Answer with: {reply}", markup=False, style="dim")
    else:
        console.out.print(f"Restored {file}.", markup=False)
    if question:
        raise typer.Exit(1)


def _undone_elsewhere(settings: Settings, key: ProjectKey, story: StoryFile) -> dict[str, Any] | None:
    """What the server says to an undo of the last turn, where that was one of the page, the editor or a program.

    A question stays open about the file. None where there is no such turn.
    """
    from fletcher.api import Api, OwnerRefusal
    from fletcher.turns import FileTurns

    try:
        with Api(settings, key) as api:
            return FileTurns(api, story, {"function": "undo"}).say("")
    except OwnerRefusal:
        return None


def story_file(settings: Settings, file: Path) -> StoryFile:
    """The file that a path leads to, so that a link stays one, and what the data directory keeps about it."""
    return StoryFile(file.resolve(), kept_stories(settings.data_dir))
