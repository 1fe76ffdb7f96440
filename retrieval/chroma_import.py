"""Chroma's package, imported in whatever folder we happen to run in."""

from __future__ import annotations

import sys
from importlib import import_module

from pydantic import ValidationError

from retrieval.errors import VectorStoreUnavailable


def import_chroma() -> None:
    """Have `chromadb` imported; later imports of its parts cannot fail.

    It makes its settings while it is imported, of the environment and of the working folder's `.env`, which may have
    come with somebody's project: what that says must not keep us from searching, whether it can be used or not.

    Raises:
        VectorStoreUnavailable: A variable of the environment has a value that Chroma does not take.
    """
    try:
        import_module("chromadb")
    except (ValueError, OSError):  # a value of another type, bytes that are no text, a file that is not ours to read
        # The import ended where the settings were made, so their class is there, and is taken as it is the next time.
        sys.modules["chromadb.config"].Settings.model_config["env_file"] = None
        try:
            import_module("chromadb")
        except ValidationError as error:
            names = ", ".join(str(problem["loc"][0]).upper() for problem in error.errors())
            raise VectorStoreUnavailable(
                f"Chroma cannot be used: it does not take the value that the environment has for {names}. Correct or "
                "remove it."
            ) from error
