"""The command line: `fletcher`, also `python -m fletcher`."""

import os
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from corpora import CorpusError
from fletcher import console
from fletcher.commands.arrow import arrow
from fletcher.commands.corpus import documents, ingest, remove, search
from fletcher.commands.demo import demo
from fletcher.commands.evaluate import evaluate_retrieval
from fletcher.commands.evaluate_agent import evaluate_agent
from fletcher.commands.link import link
from fletcher.commands.reindex import reindex
from fletcher.commands.serve import serve
from fletcher.commands.story import chat, check, outline, undo
from fletcher.env_file import OWN_ENV_FILE, ignored_in_folder, load_own_variables
from fletcher.errors import CommandError, WrongUsage
from fletcher.log import log_warnings
from fletcher.settings import SettingsError, unknown_settings
from fletcher.termination import ending_in_order
from ingest import ScanError
from retrieval import EmptyQuery

app = typer.Typer(
    name="fletcher",
    help="The assistant for Arrow that has read the design documents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (
    serve,
    ingest,
    link,
    documents,
    remove,
    search,
    chat,
    undo,
    outline,
    check,
    reindex,
    evaluate_agent,
    demo,
):
    app.command()(_command)
app.command("evaluate")(evaluate_retrieval)
app.add_typer(arrow, name="arrow")


def _tell_version(wanted: bool) -> None:
    if wanted:
        console.out.print(f"fletcher {version('fletcher')}", markup=False, highlight=False)
        raise typer.Exit


@app.callback()
def _options(  # pyright: ignore[reportUnusedFunction]
    _: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version")
    ] = False,
) -> None:
    """What stands before a command."""


_EXPECTED = (CommandError, CorpusError, ScanError, SettingsError)
_WRONG_USAGE = (SettingsError, WrongUsage)


def main(arguments: list[str] | None = None) -> None:
    """Runs one command; exit code 0: done, 1: failed, 2: wrong usage."""
    log_warnings()
    try:
        load_own_variables()
        _tell_what_is_ignored()
        with ending_in_order():
            app(arguments)
    except _EXPECTED as error:
        console.err.print(f"Error: {error}", markup=False, soft_wrap=True)
        sys.exit(2 if _is_wrong_usage(error) else 1)


def _tell_what_is_ignored() -> None:
    if unknown := unknown_settings(sorted(os.environ)):
        said = f"Not a setting of Fletcher: {', '.join(unknown)}. All are in docs/configuration.md."
        console.err.print(said, markup=False, style="yellow", soft_wrap=True)
    if ignored := ignored_in_folder():
        console.err.print(
            "Not taken from the .env of this folder, which may have come with somebody's project: "
            f"{', '.join(ignored)}. What is yours belongs into {OWN_ENV_FILE} or the environment.",
            markup=False,
            style="yellow",
            soft_wrap=True,
        )


def _is_wrong_usage(error: Exception) -> bool:
    # An owner of the data directory that was asked refuses with the same code.
    return isinstance(error, _WRONG_USAGE) or getattr(error, "code", None) == EmptyQuery.code


if __name__ == "__main__":
    main()
