"""Settings: environment variables with the prefix FLETCHER_, or a `.env` file."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator

from fletcher.env_file import OWN_ENV_FILE, PREFIX, settings_in, settings_of_folder

DEFAULT_DATA_DIR = OWN_ENV_FILE.parent

_PYDANTICS_WORDS = "Value error, "
_OF_WORKSPACE = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\s*=\s*(\S.*)")


class SettingsError(Exception):
    """A setting that cannot be used; the message names it and the rule."""


class Settings(BaseModel):
    """Every setting of `docs/configuration.md`, by its name without the prefix."""

    data_dir: Path = DEFAULT_DATA_DIR
    database_url: str | None = None
    chroma_url: str | None = None
    model: str = ""
    embedding_model: str | None = None
    reranker: str | None = None
    readers: Mapping[str, str] = Field(default_factory=dict[str, str])  # `ingest` takes them from the environment
    tokens: Path | None = None
    token: SecretStr | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    require_key: bool = False
    page: bool = True
    folders: Mapping[str, tuple[Path, ...]] = Field(default_factory=dict[str, tuple[Path, ...]])
    confirm: Literal["always", "destructive", "never"] = "destructive"
    max_message_bytes: int = Field(64 * 2**20, ge=1000)
    max_upload_bytes: int = Field(256 * 2**20, gt=0)
    max_workspace_documents: int = Field(20_000, gt=0)
    max_workspace_bytes: int = Field(20 * 2**30, gt=0)
    ocr_languages: str = Field("eng", pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$")
    context_tokens: int = Field(12_000, ge=1_000)
    max_connections: int = Field(500, gt=0)
    turns_per_minute: int = Field(600, gt=0)
    call_timeout_s: float = Field(30.0, gt=0)

    @field_validator("allowed_hosts", "allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(part.strip().lower() for part in value.split(",") if part.strip())

    @field_validator("folders", mode="before")
    @classmethod
    def _by_workspace(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        roots: dict[str, tuple[Path, ...]] = {}
        for entry in filter(None, map(str.strip, value.replace(os.pathsep, ",").split(","))):
            workspace, path = _root(entry)
            roots[workspace] = (*roots.get(workspace, ()), path)
        return roots

    @field_validator("readers", mode="before")
    @classmethod
    def _by_suffix(cls, value: Any) -> Any:
        from ingest.readers.named import parsed  # not loaded where there is none

        return parsed(value) if isinstance(value, str) else value

    @field_validator("database_url", "chroma_url", mode="before")
    @classmethod
    def _set_to_nothing(cls, value: Any) -> Any:
        return value or None

    @field_validator("chroma_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None:
            url = urlsplit(value)
            port = url.netloc.rpartition("@")[2].rpartition("]")[2].partition(":")[2]
            known = url.scheme in ("http", "https") and url.hostname and (port or "0").isdecimal()
            if not known or url.path.strip("/") or url.query:
                # Not with the value itself, which may hold a password.
                raise ValueError("it must have the form http://host:port")
        return value

    @property
    def is_shared(self) -> bool:
        """Whether servers keep everything: then no process owns it, and none needs a data directory."""
        return self.chroma_url is not None and not (self.database_url or "sqlite").startswith("sqlite")

    @property
    def model_name(self) -> str:
        """The model that is set, else Claude where there is a key for it, else the planner without a model."""
        if self.model:
            return self.model
        return "anthropic:claude-sonnet-4-5" if os.environ.get("ANTHROPIC_API_KEY") else "local"

    def in_directory(self, data_dir: Path) -> "Settings":
        """The same with a corpus of its own: the user's projects, their server and their database are left alone."""
        return self.model_copy(update={"data_dir": data_dir, "database_url": None, "chroma_url": None})

    def for_evaluation(self) -> "Settings":
        """The same with the corpus of the evaluations."""
        return self.in_directory(self.data_dir / "evaluation")

    def read_tokens(self) -> dict[str, str]:
        """Token to workspace, from the file of `token workspace` lines.

        Raises:
            SettingsError: The file cannot be read, or a line is not two words.
        """
        if self.tokens is None:
            return {}
        try:
            lines = self.tokens.read_text("utf-8-sig").splitlines()
        except OSError as error:
            raise SettingsError(f"FLETCHER_TOKENS: {self.tokens} cannot be read ({error.strerror}).") from error
        except UnicodeDecodeError as error:
            raise SettingsError(f"FLETCHER_TOKENS: {self.tokens} is not UTF-8. Save it so.") from error
        pairs = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise SettingsError(
                f"FLETCHER_TOKENS: every line of {self.tokens} must be 'token workspace', and there must be one."
            )
        return dict(pairs)

    def own_workspace(self) -> str | None:
        """The workspace that the command line's own token opens; None when it has none.

        Raises:
            SettingsError: The token opens none, or nothing says which.
        """
        if self.token is None:
            return None
        if self.tokens is None:
            raise SettingsError(
                "FLETCHER_TOKEN is set, but FLETCHER_TOKENS is not, the file that says which workspace a token opens. "
                "Set FLETCHER_TOKENS to the file that the server has, or name the workspace: --workspace NAME."
            )
        workspace = self.read_tokens().get(self.token.get_secret_value())
        if workspace is None:
            raise SettingsError(
                f"FLETCHER_TOKEN is none of the tokens in {self.tokens}. Use one of them, or name a --workspace."
            )
        return workspace


def _root(entry: str) -> tuple[str, Path]:
    """The workspace and the folder of one entry of FLETCHER_FOLDERS."""
    if named := _OF_WORKSPACE.fullmatch(entry):
        return named[1], Path(named[2]).expanduser().absolute()
    path = Path(entry).expanduser()
    if "=" in entry and not path.is_absolute() and not entry.startswith("."):
        # A workspace that is spelt wrong must not become a folder of `local`.
        raise ValueError(f"{entry!r} is neither workspace=PATH nor a PATH; one with a '=' begins with / or ./")
    return "local", path.absolute()


def unknown_settings(variables: Iterable[str]) -> list[str]:
    """Those of the variables that look like settings of ours and are none, each with the nearest that is one."""
    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    return [_with_nearest(name, known) for name in variables if name.startswith(PREFIX) and name.upper() not in known]


def _with_nearest(name: str, known: Sequence[str]) -> str:
    nearest = get_close_matches(name, known, 1)
    return f"{name} (did you mean {nearest[0]}?)" if nearest else name


def load_settings(**overrides: Any) -> Settings:
    """The settings: what the command line says, then the environment, then the working folder's `.env`.

    Raises:
        SettingsError: A variable has a value that cannot be used.
    """
    try:
        said = {name: value for name, value in overrides.items() if value is not None}
        return Settings.model_validate(settings_of_folder() | settings_in(os.environ) | said)
    except ValidationError as error:
        problems = "; ".join(
            f"FLETCHER_{str(e['loc'][0]).upper()}: {e['msg'].removeprefix(_PYDANTICS_WORDS)}" for e in error.errors()
        )
        raise SettingsError(problems) from error
