"""The scene that Arrow begins with: a copy that stays when Fletcher goes, as Arrow does not open without it."""

from pathlib import Path

from corpora import replace_whole
from fletcher.errors import CommandError

_SCENE = "boot.tscn"
_SCRIPT = "boot.gd"
_CLIENT = "client.txt"  # boot.gd reads it


def boot_folder() -> Path:
    """Where the copy is: with what is the user's, not with the package."""
    return Path.home() / ".fletcher" / "arrow"


def client_folder() -> Path:
    """Fletcher's client: inside the package, or beside it where it is installed as editable.

    Raises:
        CommandError: It is not there.
    """
    package = Path(__file__).resolve().parent
    for parent in (package, package.parent):
        folder = parent / "clients" / "arrow"
        if (folder / _SCENE).is_file():
            return folder
    raise CommandError(f"{package / 'clients' / 'arrow'} is missing. Install Fletcher again.")


def keep_boot(folder: Path, client: str) -> Path:
    """The scene, copied into the folder; it loads the client from the folder `client`, as long as that is there.

    Raises:
        CommandError: The folder cannot be written.
    """
    source = client_folder()
    kept = {_CLIENT: client.encode(), **{name: (source / name).read_bytes() for name in (_SCRIPT, _SCENE)}}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in kept.items():
            replace_whole(folder / name, data, mode=0o644)
    except OSError as error:
        raise CommandError(
            f"{folder} cannot be written: {error.strerror}. What Arrow begins with is kept there. No Arrow was changed."
        ) from error
    return folder / _SCENE
