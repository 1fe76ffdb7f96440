"""Settings: environment variables with the prefix FLETCHER_, or a `.env` file."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

DEFAULT_DATA_DIR = Path.home() / ".fletcher"

Names = Annotated[tuple[str, ...], NoDecode]


class SettingsError(Exception):
    """A setting that cannot be used; the message names it and the rule."""


class Settings(BaseSettings):
    """Every setting of `docs/configuration.md`, by its name without the prefix."""

    model_config = SettingsConfigDict(env_prefix="FLETCHER_", env_file=".env", extra="ignore")

    data_dir: Path = DEFAULT_DATA_DIR
    database_url: str | None = None
    model: str = ""
    embedding_model: str | None = None
    tokens: Path | None = None
    allowed_hosts: Names = ()
    allowed_origins: Names = ()
    confirm: Literal["always", "destructive", "never"] = "destructive"
    max_message_bytes: int = Field(64 * 2**20, gt=0)
    max_upload_bytes: int = Field(256 * 2**20, gt=0)
    context_tokens: int = Field(12_000, ge=1_000)
    call_timeout_s: float = Field(30.0, gt=0)

    @field_validator("allowed_hosts", "allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(part.strip().lower() for part in value.split(",") if part.strip())

    @property
    def model_name(self) -> str:
        """The model that is set, else Claude where there is a key for it, else the planner without a model."""
        if self.model:
            return self.model
        return "anthropic:claude-sonnet-4-5" if os.environ.get("ANTHROPIC_API_KEY") else "local"

    def read_tokens(self) -> dict[str, str]:
        """Token to workspace, from the file of `token workspace` lines.

        Raises:
            SettingsError: The file cannot be read, or a line is not two words.
        """
        if self.tokens is None:
            return {}
        try:
            lines = self.tokens.read_text("utf-8").splitlines()
        except OSError as error:
            raise SettingsError(f"FLETCHER_TOKENS: {self.tokens} cannot be read ({error.strerror}).") from error
        pairs = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise SettingsError(
                f"FLETCHER_TOKENS: every line of {self.tokens} must be 'token workspace', and there must be one."
            )
        return dict(pairs)


def load_settings(**overrides: Any) -> Settings:
    """The settings, with what the command line says on top.

    Raises:
        SettingsError: A variable has a value that cannot be used.
    """
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        problems = "; ".join(f"FLETCHER_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors())
        raise SettingsError(problems) from error
