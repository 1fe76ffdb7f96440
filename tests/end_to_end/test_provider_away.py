"""A whole server whose embeddings are a provider's: text search goes on without it, and vectors follow."""

from pathlib import Path

import pytest

from tests.end_to_end.test_chroma_away import FERRY, a_server, health, searched
from tests.end_to_end.test_two_servers import add, documents
from tests.retrieval.provider_stub import provider_stub
from tests.waiting import eventually

pytestmark = pytest.mark.long


def test_what_needs_no_vectors_goes_on_while_the_provider_refuses(tmp_path: Path) -> None:
    settings = {"FLETCHER_EMBEDDING_MODEL": "openai:text-embedding-3-small", "OPENAI_API_KEY": "sk-of-the-test"}
    with (
        provider_stub() as provider,
        a_server(tmp_path, ("-m", "fletcher"), OPENAI_API_BASE=f"{provider.url}/v1", **settings) as server,
    ):
        (entry,) = add(server, "1", {"ferry.md": FERRY})
        assert entry["status"] == "indexed"
        assert (health(server)["status"], health(server)["providers"]) == ("ok", {"embedding": "ok"})
        provider.refuses = True
        (late,) = add(server, "1", {"late.md": "The late ferry is called Heron.\n"})
        assert late["status"] == "searchable", "who waits for vectors is told that they follow"
        assert (health(server)["status"], health(server)["providers"]) == ("degraded", {"embedding": "away"})
        assert searched(server) == (["ferry.md", "late.md"], True)
        provider.refuses = False
        eventually(lambda: health(server)["status"] == "ok")
        (entry,) = add(server, "1", {"crew.md": "Aurelie steers the ferry.\n"})
        assert entry["status"] == "indexed"
        late = documents(server, "1")["late.md"]
        assert late["embedded"] == late["passages"]
        assert searched(server)[1] is False
