"""The commands that put Fletcher into an Arrow, take it out, and run the two together."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from corpora import DataDirectory, Owner
from fletcher import arrow_editor, console
from fletcher.arrow_editor import ArrowEditor, find_arrow
from fletcher.boot_scene import boot_folder, client_folder, keep_boot
from fletcher.errors import CommandError
from fletcher.flags import PlainCommand, PlainGroup
from fletcher.options import DataDir
from fletcher.owner import own_or_find_owner
from fletcher.settings import load_settings

_START_S = 180
_END_S = 20
# What the panel reads of its environment.
_URL = "FLETCHER_URL"
_TOKEN = "FLETCHER_TOKEN"  # noqa: S105  (its name)

Place = Annotated[
    Path,
    typer.Argument(metavar="FOLDER|EXECUTABLE", help="Arrow's folder, or its program", show_default=False),
]

arrow = typer.Typer(cls=PlainGroup, help="Put Fletcher into Arrow, take it out, or run both.", no_args_is_help=True)


@arrow.command(cls=PlainCommand)
def install(place: Place) -> None:
    """Let Arrow open with Fletcher's panel: one file beside it, override.cfg, and nothing of Arrow is changed."""
    found = find_arrow(place)
    scene = keep_boot(boot_folder(), client_folder().as_posix())
    is_new = arrow_editor.install(found, scene.as_posix())
    console.out.print(
        f"{found} {'opens with Fletcher from now on' if is_new else 'has Fletcher already'} ({found.override}).\n"
        f"Take it out: fletcher arrow uninstall {place}",
        markup=False,
    )


@arrow.command(cls=PlainCommand)
def uninstall(place: Place) -> None:
    """Take exactly Fletcher's lines out of override.cfg."""
    found = find_arrow(place)
    is_out = arrow_editor.uninstall(found)
    told = "opens without Fletcher from now on" if is_out else "has no Fletcher in it; nothing was changed"
    console.out.print(f"{found} {told}.", markup=False)


@arrow.command(cls=PlainCommand)
def run(place: Place, data_dir: DataDir = None) -> None:
    """Start the server if none runs, then Arrow; what was started is ended with Arrow."""
    found = find_arrow(place)
    if not arrow_editor.is_installed(found):
        raise CommandError(f"{found} has no Fletcher in it. Install it first: fletcher arrow install {place}")
    command = found.command()
    token = load_settings(data_dir=data_dir).token
    with _server(data_dir) as url:
        given = {_URL: url} | ({_TOKEN: token.get_secret_value()} if token else {})
        code = _run(command, found, given)
    if code:
        raise CommandError(f"{found} ended with {code}.")


def _run(command: list[str], found: ArrowEditor, given: dict[str, str]) -> int:
    try:
        process = subprocess.Popen(command, env=os.environ | given, cwd=found.folder)  # noqa: S603  (what the user has named)
    except OSError as error:
        raise CommandError(f"{command[0]} cannot be started: {error.strerror}.") from error
    with _ended(process):
        return process.wait()


@contextmanager
def _server(data_dir: Path | None) -> Generator[str]:
    """The address of the server: FLETCHER_URL's, that of one which runs on the data directory, or a new one's."""
    if given := os.environ.get(_URL):
        yield given
        return
    directory = DataDirectory(load_settings(data_dir=data_dir).data_dir)
    owner = own_or_find_owner(directory)
    if isinstance(owner, Owner):
        assert owner.url is not None
        yield owner.url
        return
    owner.release()
    with _started(directory.path) as url:
        yield url


@contextmanager
def _started(data_dir: Path) -> Generator[str]:
    command = [sys.executable, "-m", "fletcher", "serve", "--data-dir", str(data_dir)]
    process = subprocess.Popen([*command, "--announce"], stdout=subprocess.PIPE, text=True)  # noqa: S603  (this very Python)
    with _ended(process):
        said = list[str]()
        reading = Thread(target=_hear, args=(process, said), daemon=True)
        reading.start()
        reading.join(_START_S)
        if not any(said):
            raise CommandError("The server has not started; what it said is above. Try 'fletcher serve' by itself.")
        yield said[0]


def _hear(process: "subprocess.Popen[str]", said: list[str]) -> None:
    assert process.stdout is not None
    said.append(process.stdout.readline().strip())


@contextmanager
def _ended(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> Generator[None]:
    """The process is told to end with the block, and made to where it does not."""
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
