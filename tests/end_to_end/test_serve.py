"""The server as an operator runs it: tokens, its log, its end."""

import json
import os
import signal
import sys
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.end_to_end.conftest import Run
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, server_process

TOKEN = "s3cret-token-of-ada"


def test_other_machines_need_tokens(run_program: Run) -> None:
    refused = run_program("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 2
    assert "FLETCHER_TOKENS" in refused.err
    assert "127.0.0.1" in refused.err


def test_a_key_cannot_be_asked_for_where_there_is_none(run_program: Run) -> None:
    servers = {"FLETCHER_DATABASE_URL": "postgresql://nowhere/x", "FLETCHER_CHROMA_URL": "http://nowhere:1"}
    refused = run_program("serve", "--port", "0", FLETCHER_REQUIRE_KEY="true", **servers)
    assert (refused.code, "FLETCHER_TOKENS" in refused.err) == (2, True)


def test_a_reranker_that_is_set_and_not_there_is_said_at_the_start(run_program: Run) -> None:
    refused = run_program("serve", "--port", "0", FLETCHER_RERANKER="/nowhere/at/all")
    assert refused.code == 1
    assert "'/nowhere/at/all' cannot be used: there is no such folder" in refused.err
    assert "FLETCHER_RERANKER" in refused.err
    assert "WARNING" not in refused.err
    assert "Traceback" not in refused.err


def test_a_server_without_tokens_says_who_may_use_it_and_tells_its_clients_that_it_ends(
    data_dir: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "fletcher", "serve", "--port", "0", "--data-dir", data_dir]
    with server_process(command, tmp_path, CLEAN_ENVIRONMENT) as server:
        with connect(server.url.replace("http", "ws", 1) + "/ws/chat", proxy=None, open_timeout=PATIENCE_S) as socket:
            server.process.terminate()
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(PATIENCE_S)
        log = server.end()
    assert "every user and program of this machine" in log.replace("\n", " ")
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_the_page_reads_nothing_of_the_folder_that_the_server_is_started_in(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / ".nicegui").mkdir()
    os.mkfifo(tmp_path / ".nicegui" / "storage-general.json")  # whoever reads it waits for ever
    command = [sys.executable, "-m", "fletcher", "serve", "--port", "0", "--data-dir", data_dir]
    with server_process(command, tmp_path, CLEAN_ENVIRONMENT) as server:
        assert httpx.get(server.url, trust_env=False, timeout=PATIENCE_S).status_code == 200
        log = server.end()
    assert "storage" not in log


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts a process's descriptors")
def test_it_takes_more_descriptors_than_it_begins_with(data_dir: Path, tmp_path: Path) -> None:
    begins = "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (256, r.getrlimit(r.RLIMIT_NOFILE)[1]))"
    serve = f"{begins}; import sys; from fletcher.__main__ import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", serve, "serve", "--port", "0", "--data-dir", data_dir]
    with server_process(command, tmp_path, CLEAN_ENVIRONMENT) as server:
        counted = httpx.get(f"{server.url}/metrics", trust_env=False, timeout=PATIENCE_S).text
    (line,) = [line for line in counted.splitlines() if line.startswith("process_max_fds ")]
    assert float(line.split()[1]) > 256


def test_a_server_with_tokens(run: Run, data_dir: Path, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{TOKEN} ada\ns3cret-token-of-bo bo\n")
    environment = {"FLETCHER_TOKENS": str(tokens), "FLETCHER_TOKEN": TOKEN}
    bible = tmp_path / "bible.md"
    bible.write_text("# People\n\nElena keeps the s3cret lighthouse.\n")
    command = [sys.executable, "-m", "fletcher", "serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", data_dir]
    with server_process(command, tmp_path, CLEAN_ENVIRONMENT | environment) as server:
        # The command line finds the owner, and works in the workspace of its own token.
        done = run("ingest", bible, "--project", "7", "--json", **environment)
        assert done.code == 0, done.err
        assert run("search", "lighthouse", "--project", "7", "--json", **environment).json["passages"]
        other = run("documents", "--project", "7", **environment | {"FLETCHER_TOKEN": "s3cret-token-of-bo"})
        assert other.code == 1
        assert "no project" in other.err

        address = server.url.replace("http", "ws", 1) + f"/ws/chat?token={TOKEN}"
        with connect(address, proxy=None, open_timeout=PATIENCE_S) as socket:
            message = {"type": "user_message", "message": "Who keeps the s3cret lighthouse?"}
            socket.send(json.dumps(message | {"current_project_id": 7}))
            while json.loads(socket.recv(PATIENCE_S))["type"] != "end":
                pass
        with httpx.Client(base_url=server.url, trust_env=False, timeout=PATIENCE_S) as http:
            assert http.get("/metrics").status_code == 401
            counted = http.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
        log = server.end()
    assert 'fletcher_turns_total{outcome="done"} 1.0' in counted
    (line,) = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert (line["workspace"], line["project_id"], line["client"], line["outcome"]) == ("ada", "7", "spec", "done")
    assert "s3cret" not in log, "neither a token nor what was asked or read"
    assert "s3cret" not in counted
    assert server.process.returncode == -signal.SIGTERM
    assert "resource_tracker" not in log, "everything was given back before the end"
    assert "Traceback" not in log
