"""Programs that the PATH names."""

import shutil
from pathlib import Path


def program_in_path(name: str) -> str | None:
    """The absolute path of a program; None where the PATH has none.

    On Windows the folder that a command runs in would come before the PATH, and may be somebody else's project.
    """
    found = shutil.which(name)
    return found if found and Path(found).is_absolute() else None
