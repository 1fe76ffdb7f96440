"""Chroma's package, imported in whatever folder we happen to run in."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

from pydantic import ValidationError
from pydantic_settings import SettingsError

from retrieval.errors import VectorStoreUnavailable


def import_chroma() -> None:
    """Have `chromadb` imported; later imports of its parts cannot fail.

    It makes its settings while it is imported, of the environment and of the working folder's `.env`, which may have
    come with somebody's project: that is not read, as it must keep us neither from searching nor waiting.

    Raises:
        VectorStoreUnavailable: A variable of the environment has a value that Chroma does not take.
    """
    try:
        import_module("chromadb")
    except (ValidationError, SettingsError) as error:
        if isinstance(error, ValidationError):
            names = ", ".join(str(problem["loc"][0]).upper() for problem in error.errors())
        else:  # what should be JSON is none: it says of which field
            names = "".join(re.findall(r'field "(\w+)"', str(error))).upper()
        raise VectorStoreUnavailable(
            f"Chroma cannot be used: it does not take the value that the environment has for {names}. Correct or "
            "remove it."
        ) from error


class _SettingsFinder(MetaPathFinder):
    """Finds the module of Chroma's settings: their class is made there, and they are before its package is imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        found = PathFinder.find_spec(fullname, path, target) if fullname == "chromadb.config" else None
        if found is not None and found.origin is not None:
            found.loader = _SettingsLoader(fullname, found.origin)
        return found


class _SettingsLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        module.Settings.model_config["env_file"] = None


# For good: whoever imports something in another thread may be going through these just now, and would miss one.
sys.meta_path.insert(0, _SettingsFinder())
