"""The API is what its description says: schemathesis makes requests up from it, and finds nothing.

`make contract` does the same with more examples, and `schemathesis run URL/openapi.json` from here by hand.
"""

import json
import os
import re
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Annotated, Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, build_opener

import jsonschema_rs
import pytest
from pydantic import Field

from agent.models import failures
from corpora import CorpusError
from ingest import Source
from retrieval import PageNotDrawn
from server import Access
from server.access.wrong_tokens import WrongTokens
from server.http import corpus_routes
from server.http.corpus_routes import CorpusUpload, DocumentUpload
from server.http.refusals import status_of
from tests.server.house import House, house
from tests.server.test_uploads import pdf

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
_MINUTES = count(step=60.0)
# Wrong tokens are tried at every operation, and here they come as slowly as they are looked at.
_TOKENS = Access(tokens={"ours": "local"}, wrong_tokens=WrongTokens(now=lambda: next(_MINUTES)))
ACCESS = {"open": Access(), "tokens": _TOKENS}
# What takes longest, each value at the edge of what is allowed, is tried once: who may ask makes no difference to that.
PHASES = {"open": ["Examples", "Fuzzing", "Stateful"], "tokens": ["Examples", "Coverage", "Fuzzing", "Stateful"]}
_UNKNOWN = -1
_FEW = 100
_DECLARED: dict[str, Any] = corpus_routes._JSON["properties"]["documents"]  # pyright: ignore[reportPrivateUsage]


class _FewDocuments(CorpusUpload):
    documents: Annotated[list[DocumentUpload], Field(max_length=_FEW)]


@pytest.fixture
def few_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as may come at once do, twice: ten thousand take longer than all other requests together."""
    monkeypatch.setattr(corpus_routes, "CorpusUpload", _FewDocuments)
    monkeypatch.setitem(_DECLARED, "maxItems", _FEW)


@pytest.mark.usefixtures("few_documents")
@pytest.mark.parametrize("access", ACCESS)
def test_nothing_differs_from_the_description(access: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with house(tmp_path / "data", local=True, access=ACCESS[access]) as home:
        home.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
        home.ingestor.index(home.key, [Source("map.pdf", pdf("The map of the coast."))])
        run = subprocess.run(
            [
                sys.executable, "-m", "schemathesis.cli", "run", f"{home.url}/openapi.json", "--checks", "all",
                "--phases", ",".join(PHASES[access]).lower(),
                "--max-examples", str(request.config.getoption("--contract-examples")),
                "--seed", str(request.config.getoption("--contract-seed")),
                "--header", "Authorization: Bearer ours",
                "--request-timeout", "300", "--max-failures", "20", "--generation-database", "none", "--no-color",
            ],
            cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert int(re.findall(r"(\d+) passed", run.stdout)[-1]) > 50, run.stdout
    for phase in PHASES[access]:
        assert f"✅ {phase}" in run.stdout.replace("  ", " "), run.stdout


def _description(home: House) -> dict[str, Any]:
    with home.http() as http:
        return http.get("/openapi.json").json()


def test_as_many_documents_are_declared_as_are_taken_at_once() -> None:
    (length,) = CorpusUpload.model_fields["documents"].metadata
    assert _DECLARED["maxItems"] == length.max_length == 10_000


def test_tokens_are_declared_as_they_are_asked_for(home: House, tmp_path: Path) -> None:
    with house(tmp_path / "closed", access=ACCESS["tokens"]) as closed:
        asked = _description(closed)["paths"]
    unasked = _description(home)["paths"]
    assert {"bearer": []} in asked["/projects"]["get"]["security"]
    assert {} not in asked["/projects"]["get"]["security"]
    assert {} in unasked["/projects"]["get"]["security"]
    assert "401" in asked["/projects"]["get"]["responses"]
    assert "401" not in unasked["/projects"]["get"]["responses"]
    assert "security" not in asked["/healthz"]["get"]


def test_what_is_no_query_is_declared_as_it_is_refused(home: House) -> None:
    declared = _description(home)["paths"]["/projects/{project_id}/search"]["get"]["parameters"]
    (query,) = [parameter["schema"] for parameter in declared if parameter["name"] == "q"]
    is_query = jsonschema_rs.validator_for(query).is_valid
    signs = [chr(number) for number in range(0x10000) if not 0xD800 <= number < 0xE000]
    assert [sign for sign in signs if is_query(sign) != bool(sign.strip())] == []


@pytest.mark.parametrize(("signs", "status"), [(5_000, 404), (5_001, 422), (12_000, 431)])
def test_a_query_has_room_in_an_address(home: House, signs: int, status: int) -> None:
    codes = {404: "PROJECT_NOT_FOUND", 422: "INVALID_REQUEST", 431: "HEAD_TOO_LARGE"}
    address = f"{home.url}/projects/7/search?q={quote(chr(0x1F4A1) * signs)}"
    with pytest.raises(HTTPError) as refused:  # httpx takes no address that is so long
        build_opener(ProxyHandler({})).open(address)
    with refused.value as answer:
        assert answer.code == status
        assert json.load(answer)["error"]["code"] == codes[status]


def test_a_server_that_is_too_busy_is_declared_as_it_refuses(home: House) -> None:
    for path, methods in _description(home)["paths"].items():
        for method, operation in methods.items():
            busy = operation["responses"].get("503", {"description": ""})
            assert ("`TOO_BUSY`" in busy["description"]) is (path != "/healthz"), (method, path)


def test_every_answer_is_typed(home: House) -> None:
    for path, methods in _description(home)["paths"].items():
        for method, operation in methods.items():
            for status, answer in operation["responses"].items():
                for kind, content in answer["content"].items():
                    assert kind != "application/json" or "$ref" in content["schema"], (path, method, status)


def test_every_body_has_examples_that_fit_it_and_are_taken(tmp_path: Path) -> None:
    with house(tmp_path, local=True) as home, home.http() as http:
        description = _description(home)
        bodies = [
            (path, method, kind, content)
            for path, methods in description["paths"].items()
            for method, operation in methods.items()
            for kind, content in operation.get("requestBody", {}).get("content", {}).items()
        ]
        assert len(bodies) == 5
        for path, method, kind, content in bodies:
            assert content["examples"], (path, kind)
            for example in content["examples"].values():
                schema = content["schema"] | {"components": description["components"]}
                jsonschema_rs.validate(schema, example["value"])
                if kind == "application/json" and "folder" not in path:  # which would have to be there
                    answer = http.request(method, path.format(project_id=1), json=example["value"])
                    assert answer.is_success, answer.text


def _codes(kind: type[CorpusError]) -> set[str]:
    own = set() if kind is PageNotDrawn else {kind.code}
    return own.union(*(_codes(below) for below in kind.__subclasses__()))


# Those of what is said of one document, of a command line, or never meets a request.
_OF_NO_ROUTE = {"CORPUS_ERROR", "DIRECTORY_BUSY"}


def test_every_error_of_ours_has_its_status() -> None:
    models = {code for code, _ in failures._SENTENCES.values()}  # pyright: ignore[reportPrivateUsage]
    unknown = {c for c in _codes(CorpusError) - _OF_NO_ROUTE | models if status_of(c, _UNKNOWN) == _UNKNOWN}
    assert not unknown
