"""Who calls: the workspace that the token opens, and what the assistant was started for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from starlette.requests import Request

PROJECT_HEADER = "x-fletcher-project"
FILE_HEADER = "x-fletcher-file"
TOOLS_HEADER = "x-fletcher-tools"

_OPERATIONS = "operations"


@dataclass(frozen=True)
class Caller:
    """What one request may reach, and what it means where it names nothing.

    Attributes:
        workspace: What its token opens.
        project: The project that it was started for.
        file: The story that it was started for; only whoever has the owner's key can name one.
        tools: Whether each operation is a tool of its own.
    """

    workspace: str
    project: str | None = None
    file: Path | None = None
    tools: Literal["list", "operations"] = "list"

    @classmethod
    def of(cls, request: Request) -> "Caller":
        """The caller of a request that `AccessMiddleware` has let in."""
        headers, query = request.headers, request.query_params
        file = headers.get(FILE_HEADER) if request.state.is_owner else None
        return cls(
            workspace=request.state.workspace,
            project=headers.get(PROJECT_HEADER) or query.get("project") or None,
            file=Path(unquote(file)) if file else None,
            tools="operations" if _OPERATIONS in (headers.get(TOOLS_HEADER), query.get("tools")) else "list",
        )
