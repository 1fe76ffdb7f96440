"""What a folder names in its `__init__.py` is what others may use, so all of it is there and described."""

import importlib
import inspect

import pytest

PACKAGES = (
    "arrow_project",
    "corpora",
    "retrieval",
    "ingest",
    "agent",
    "server",
    "evaluation.agent",
    "evaluation.retrieval",
    "workbench",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_exist_and_are_described(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__doc__
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        public = getattr(module, name)
        if inspect.isclass(public) or inspect.isfunction(public):
            assert public.__doc__, f"{package}.{name} has no docstring"
            for method, function in vars(public).items() if inspect.isclass(public) else ():
                if inspect.isfunction(function) and not method.startswith("_"):
                    assert function.__doc__, f"{package}.{name}.{method} has no docstring"


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_public_is_left_out_of_all(package: str) -> None:
    module = importlib.import_module(package)
    imported = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value))
    }
    assert imported <= set(module.__all__)
