"""The conversations as tests, where Godot and a checkout of Arrow-AI are (ARROW_AI_CHECKOUT)."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.arrow_project.conform.oracle import Oracle
from tests.real_client import FUNCTIONS, NEVER_SENT, TOOLS, missing
from tests.real_client.client import Client
from tests.real_client.conversation import Conversation
from tests.real_client.conversations import CONVERSATIONS
from tests.real_client.house import House, house
from tests.real_client.judging import play

_tools = Path(os.environ.get("ARROW_ORACLE", TOOLS))


@pytest.fixture(scope="module")
def client() -> Client:
    if "ARROW_AI_CHECKOUT" not in os.environ:
        pytest.skip("ARROW_AI_CHECKOUT does not name a work tree of Arrow-AI")
    project = Path(os.environ["ARROW_AI_CHECKOUT"]).resolve() / "Arrow"
    if reason := missing(_tools, project):
        pytest.skip(reason)
    found = Client(_tools / "godot", project)
    found.prepare()
    return found


@pytest.fixture(scope="module")
def opened(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    """One server for all conversations; it needs the client because without it nothing has to be started."""
    with house(tmp_path_factory.mktemp("real_client") / "data") as running:
        yield running


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda conversation: conversation.name)
def test_a_conversation_with_the_real_client(conversation: Conversation, client: Client, opened: House) -> None:
    oracle = Oracle(client.godot, _tools / "oracle.gd", client.project)
    verdict = play(conversation, opened, client, oracle)
    assert verdict.problems == ()
    assert verdict.functions.keys() <= FUNCTIONS - NEVER_SENT
