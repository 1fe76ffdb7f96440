"""Linking folders over HTTP."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from server import WORKSPACE_HEADER, Access
from tests.server.house import House, house

FERRY = "The ferry is called Bittern."
OWNER_KEY = "the owner's key"
TOKENS = {"ada's token": "ada", "bo's token": "bo"}


@contextmanager
def owned(path: Path, *, tokens: bool = False, roots: dict[str, tuple[Path, ...]] | None = None) -> Generator[House]:
    """A server whose owner's key is known."""
    with house(path, access=Access(TOKENS if tokens else {}, OWNER_KEY), roots=roots) as opened:
        yield opened


def owner(home: House, workspace: str = "local") -> httpx.Client:
    """A client with the key of the owner's file."""
    return home.http(Authorization=f"Bearer {OWNER_KEY}", **{WORKSPACE_HEADER: workspace})


def link(http: httpx.Client, folder: Path | str, project: int = 1) -> dict[str, Any]:
    answer = http.put(f"/projects/{project}/folder", json={"path": str(folder)})
    assert answer.status_code == 200, answer.text
    return answer.json()


def linked(http: httpx.Client) -> dict[str, Any]:
    answer = http.get("/projects/1/folder")
    assert answer.status_code == 200, answer.text
    return answer.json()


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def names(report: dict[str, Any]) -> list[str]:
    return [document["name"] for document in report["documents"]]
