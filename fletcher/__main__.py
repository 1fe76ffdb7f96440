"""The command line: `fletcher`, also `python -m fletcher`."""

import os
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer

from corpora import CorpusError
from fletcher import console
from fletcher.env_file import OWN_ENV_FILE, ignored_in_folder, load_own_variables
from fletcher.errors import CommandError, WrongUsage
from fletcher.flags import PlainCommand, PlainGroup
from fletcher.log import log_warnings
from fletcher.settings import SettingsError, unknown_settings
from fletcher.termination import ending_in_order

# Each with its module in fletcher/commands, which is loaded when the command is run: some bring much along.
_COMMANDS = {
    "serve": "serve",
    "ingest": "ingest",
    "link": "link",
    "documents": "corpus",
    "remove": "corpus",
    "search": "corpus",
    "chat": "chat",
    "undo": "chat",
    "outline": "story",
    "check": "story",
    "reindex": "reindex",
    "evaluate": "evaluate",
    "evaluate-agent": "evaluate_agent",
    "demo": "demo",
    "arrow": "arrow",
    "mcp": "mcp",
}


class _Commands(PlainGroup):
    """The commands by their names."""

    def __init__(self, **options: Any) -> None:
        # The names alone, which the library lists, and suggests where one is mistyped.
        options["commands"] = dict.fromkeys(_COMMANDS)
        super().__init__(**options)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002  (the library's)
        if cmd_name not in _COMMANDS:
            return None
        found: Any = getattr(import_module(f"fletcher.commands.{_COMMANDS[cmd_name]}"), cmd_name.replace("-", "_"))
        if isinstance(found, typer.Typer):
            command = typer.main.get_group(found)
        else:
            alone = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
            alone.command(cmd_name, cls=PlainCommand, help=_paragraphs(found.__doc__))(found)
            command = typer.main.get_command(alone)
        command.name = cmd_name
        return command


def _paragraphs(text: str) -> str:
    """Each on one line: the library keeps those of the source, and breaks them once more for the terminal."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


app = typer.Typer(
    name="fletcher",
    cls=_Commands,
    help="The assistant for Arrow that has read the design documents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        console.out.print(f"fletcher {version('fletcher-arrow')}", markup=False, highlight=False)
        raise typer.Exit


@app.callback()
def _options(  # pyright: ignore[reportUnusedFunction]
    _: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version")
    ] = False,
) -> None:
    """What stands before a command."""


_EMPTY_QUERY = "EMPTY_QUERY"
_WRONG_USAGE = (SettingsError, WrongUsage)


def main(arguments: list[str] | None = None) -> None:
    """Runs one command; exit code 0: done, 1: failed, 2: wrong usage."""
    log_warnings()
    # The folder that a command runs in may be somebody else's project: no Python that it starts, a reader of documents
    # or the server beside Arrow, imports from there.
    os.environ["PYTHONSAFEPATH"] = "1"
    # Nor does Windows look there for a program before the PATH (Python heeds it from 3.12 on).
    os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"
    try:
        load_own_variables()
        _tell_what_is_ignored()
        with ending_in_order():
            app(arguments)
    except Exception as error:
        if not _is_expected(error):
            raise
        console.err.print(f"Error: {error}", markup=False)
        sys.exit(2 if _is_wrong_usage(error) else 1)


def _tell_what_is_ignored() -> None:
    if unknown := unknown_settings(sorted(os.environ)):
        said = f"Not a setting of Fletcher: {', '.join(unknown)}. All are in docs/configuration.md."
        console.err.print(said, markup=False, style="yellow")
    if ignored := ignored_in_folder():
        console.err.print(
            "Not taken from the .env of this folder, which may have come with somebody's project: "
            f"{', '.join(ignored)}. What is yours belongs into {OWN_ENV_FILE} or the environment.",
            markup=False,
            style="yellow",
        )


def _is_expected(error: Exception) -> bool:
    from ingest import ScanError  # here, as most commands scan no folder

    return isinstance(error, CommandError | CorpusError | SettingsError | ScanError)


def _is_wrong_usage(error: Exception) -> bool:
    # An owner of the data directory that was asked refuses with the same code.
    return isinstance(error, _WRONG_USAGE) or getattr(error, "code", None) == _EMPTY_QUERY


if __name__ == "__main__":
    main()
