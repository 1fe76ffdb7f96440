"""Settings come from the environment and from `.env`; a wrong one is named."""

import os
from pathlib import Path

import pytest

from fletcher.settings import Settings, SettingsError, load_settings


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"FLETCHER_{name.upper()}", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


def test_without_a_key_there_is_the_planner_and_with_one_claude(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().model_name == "local"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    assert load_settings().model_name == "anthropic:claude-sonnet-4-5"
    monkeypatch.setenv("FLETCHER_MODEL", "openai:gpt-5")
    assert load_settings().model_name == "openai:gpt-5"


def test_the_command_line_goes_before_the_environment_and_that_before_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("FLETCHER_DATA_DIR=from-file\nFLETCHER_CONTEXT_TOKENS=2000\n")
    assert load_settings().data_dir == Path("from-file")
    monkeypatch.setenv("FLETCHER_DATA_DIR", "from-environment")
    assert load_settings(data_dir=None).data_dir == Path("from-environment")
    assert load_settings(data_dir=Path("given")).data_dir == Path("given")
    assert load_settings().context_tokens == 2000


def test_lists_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLETCHER_ALLOWED_HOSTS", "Story.example, arrow.example")
    assert load_settings().allowed_hosts == ("story.example", "arrow.example")


@pytest.mark.parametrize(
    ("name", "value"), [("CONFIRM", "sometimes"), ("CONTEXT_TOKENS", "many"), ("CALL_TIMEOUT_S", "0")]
)
def test_a_wrong_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"FLETCHER_{name}", value)
    with pytest.raises(SettingsError, match=f"FLETCHER_{name}"):
        load_settings()


def test_tokens_open_workspaces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    monkeypatch.setenv("FLETCHER_TOKENS", str(tokens))
    with pytest.raises(SettingsError, match="tokens"):
        load_settings().read_tokens()
    tokens.write_text("# who works where\nabc harbour\n\ndef inland\n")
    assert load_settings().read_tokens() == {"abc": "harbour", "def": "inland"}
    tokens.write_text("abc\n")
    with pytest.raises(SettingsError, match="token workspace"):
        load_settings().read_tokens()


def test_the_command_lines_own_token_opens_its_workspace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert load_settings().own_workspace() is None
    monkeypatch.setenv("FLETCHER_TOKEN", "abc")
    with pytest.raises(SettingsError, match="FLETCHER_TOKENS"):
        load_settings().own_workspace()
    tokens = tmp_path / "tokens"
    monkeypatch.setenv("FLETCHER_TOKENS", str(tokens))
    tokens.write_text("abc harbour\ndef inland\n")
    assert load_settings().own_workspace() == "harbour"
    monkeypatch.setenv("FLETCHER_TOKEN", "s3cret")
    with pytest.raises(SettingsError, match="none of the tokens") as refused:
        load_settings().own_workspace()
    assert "s3cret" not in str(refused.value)
    assert "s3cret" not in repr(load_settings())


def test_both_servers_make_it_stateless_and_an_evaluation_leaves_them_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not load_settings().is_shared
    monkeypatch.setenv("FLETCHER_CHROMA_URL", "http://chroma.example:8001")
    assert not load_settings().is_shared
    assert not load_settings(database_url="sqlite:////tmp/catalog").is_shared
    monkeypatch.setenv("FLETCHER_DATABASE_URL", "postgresql+psycopg://ada@db.example/fletcher")
    assert load_settings().is_shared
    apart = load_settings().for_evaluation()
    assert (apart.database_url, apart.chroma_url) == (None, None)
    monkeypatch.setenv("FLETCHER_DATABASE_URL", "")
    assert load_settings().database_url is None


@pytest.mark.parametrize(
    "url",
    [
        "chroma:8001",
        "ftp://ada:s3cret@host",
        "http://ada:s3cret@host/path",
        "http://h?a=s3cret",
        "http://ada:s3cret@host:port",
    ],
)
def test_what_is_no_address_of_a_chroma_server_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("FLETCHER_CHROMA_URL", url)
    with pytest.raises(SettingsError, match=r"FLETCHER_CHROMA_URL: .*http://host:port") as refused:
        load_settings()
    assert "s3cret" not in str(refused.value)
    assert "Value error" not in str(refused.value)


def test_folders_are_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert load_settings().folders == ()
    monkeypatch.setenv("FLETCHER_FOLDERS", os.pathsep.join(("/design, ", "~/games", "here")))
    assert load_settings().folders == (
        Path("/design"),
        Path.home() / "games",
        tmp_path / "here",
    )
