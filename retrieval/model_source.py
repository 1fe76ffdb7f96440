"""Where a model that the user names is: on the Hugging Face hub, or in a folder."""

from pathlib import Path


def is_missing_folder(source: str) -> bool:
    """Whether `source` can only be the path of a folder, which is not there; `owner/name` may be on the hub."""
    path = Path(source)
    is_path = path.is_absolute() or source.startswith((".", "~")) or "\\" in source or len(path.parts) > 2
    return is_path and not path.is_dir()
