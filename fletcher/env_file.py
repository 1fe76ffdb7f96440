"""The two `.env` files: the user's own, which may hold anything, and that of the working folder, which is anybody's.

A cloned project brings its `.env` along. What it says may make Fletcher ask more often or take less, but must not
decide where documents, keys and questions go, who may connect, or which files and programs are read.
"""

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from dotenv import dotenv_values, load_dotenv

from fletcher.errors import WrongUsage

PREFIX = "FLETCHER_"
OWN_ENV_FILE = Path.home() / ".fletcher" / ".env"
_FOLDERS_ENV_FILE = Path(".env")
_MOST_CHARACTERS = 64 * 1024  # of the folder's: whoever clones a project waits with each command until it is read

_LINE, _LONGEST_LINE = re.compile(r"[^\r\n]*[\r\n]?"), 1000

_HARMLESS = (
    "ocr_languages",
    "context_tokens",
    "call_timeout_s",
    "max_message_bytes",
    "max_upload_bytes",
    "max_connections",
    "turns_per_minute",
)
_HARMLESS_VALUES: dict[str, Callable[[str], bool]] = {
    "confirm": lambda value: value != "never",
    "model": lambda value: value == "local",
}
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_PROVIDERS = ("_API_KEY", "_BASE_URL", "_AUTH_TOKEN")


def load_own_variables() -> None:
    """Put the variables of the user's own `.env` into the environment, where it has none of the name.

    The model SDKs read their keys and addresses from there.

    Raises:
        WrongUsage: The file is there and cannot be read.
    """
    try:
        load_dotenv(OWN_ENV_FILE)
    except (OSError, UnicodeDecodeError) as error:
        rule = "it must be a text file of NAME=value lines"
        raise WrongUsage(f"{OWN_ENV_FILE} cannot be read ({error}); {rule}.") from error


def settings_of_folder() -> dict[str, str]:
    """The settings that the working folder's `.env` may make, by their names without the prefix, in small letters."""
    return {name: value for name, value in settings_in(_variables()).items() if _is_harmless(name, value)}


def ignored_in_folder() -> list[str]:
    """The variables of the working folder's `.env` that its author may have meant for Fletcher, and may not set.

    Such a file may have sentences for names; these are no variables. Of one that is too large, nothing is taken.
    """
    if len(_text()) > _MOST_CHARACTERS:
        return [f"anything, as it has more than {_MOST_CHARACTERS:,} characters"]
    said = {name: value for name, value in _variables().items() if _NAME.fullmatch(name)}
    settings = [f"{PREFIX}{name.upper()}" for name, value in settings_in(said).items() if not _is_harmless(name, value)]
    return settings + [name for name in said if name.upper().endswith(_PROVIDERS) and not _is_setting(name)]


def settings_in(variables: Mapping[str, str]) -> dict[str, str]:
    """Those of the variables that are settings, by their names without the prefix, in small letters."""
    return {name[len(PREFIX) :].lower(): value for name, value in variables.items() if _is_setting(name)}


def _variables() -> dict[str, str]:
    """Those with a value; none if the file is too large."""
    text = _text()
    if len(text) > _MOST_CHARACTERS:
        return {}
    # Longer lines than any setting has would take the square of their blanks.
    lines = "".join(line for line in _LINE.findall(text) if len(line) <= _LONGEST_LINE)
    # As it stands: with ${NAME} it would quote the user's environment.
    values = dotenv_values(stream=io.StringIO(lines), interpolate=False)
    return {name: value for name, value in values.items() if value is not None}


def _text() -> str:
    """The file's, as far as says whether it is too large; '' if it is the user's own, which the environment has."""
    file = _FOLDERS_ENV_FILE
    if not file.is_file() or (OWN_ENV_FILE.exists() and file.samefile(OWN_ENV_FILE)):
        return ""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_MOST_CHARACTERS + 1)
    except OSError:  # not for us to read: then it says nothing to us
        return ""


def _is_setting(name: str) -> bool:
    return name.upper().startswith(PREFIX)


def _is_harmless(name: str, value: str) -> bool:
    return name in _HARMLESS or (name in _HARMLESS_VALUES and _HARMLESS_VALUES[name](value))
