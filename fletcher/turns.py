"""One turn from the command line: in this process, or by the owner of the data directory."""

import asyncio
from dataclasses import replace
from typing import Any

from corpora import DataDirectory, Owner, ProjectKey
from fletcher.corpus import own_or_find_owner
from fletcher.errors import CommandError
from fletcher.remote import RemoteCorpus
from fletcher.settings import Settings
from fletcher.wiring import Parts, build_services, open_parts
from server import RequestError, TurnBody, answer_turn

# A model that goes on after each yes and never comes to an end is left with its next question.
_MAX_QUESTIONS = 20


def take_turn(settings: Settings, key: ProjectKey, body: TurnBody, *, agreed: bool) -> dict[str, Any]:
    """The answer of `POST /projects/{id}/turns` to `body`.

    Args:
        agreed: The user has said yes beforehand to whatever would be asked.

    Raises:
        CommandError: The turn failed before it did anything.
    """
    if settings.is_shared:
        with open_parts(settings, None) as parts:
            return _taken_here(settings, key, body, parts, agreed=agreed)
    directory = DataDirectory(settings.data_dir)
    owned = own_or_find_owner(directory)
    if isinstance(owned, Owner):
        with RemoteCorpus(owned) as remote:
            answer = remote.turn(key, body)
            return _agreed_to(remote, key, body, answer) if agreed else answer
    with owned, open_parts(settings, directory) as parts:
        return _taken_here(settings, key, body, parts, agreed=agreed)


def _taken_here(settings: Settings, key: ProjectKey, body: TurnBody, parts: Parts, *, agreed: bool) -> dict[str, Any]:
    services = build_services(settings, parts)
    services = replace(services, confirm="never") if agreed else services
    try:
        return asyncio.run(answer_turn(body, key, services))
    except RequestError as error:
        raise CommandError(f"{error.code}: {error}") from error


def _agreed_to(remote: RemoteCorpus, key: ProjectKey, body: TurnBody, answer: dict[str, Any]) -> dict[str, Any]:
    """Says yes as often as the server asks: it cannot be told beforehand that nobody need be asked."""
    for _ in range(_MAX_QUESTIONS):
        question = answer["question"]
        if question is None or question["kind"] != "confirmation":
            break
        reply = TurnBody(
            message="yes",
            pending_id=question["pending_id"],
            arrow_content=answer["arrow_content"],
            current_scene_id=body.current_scene_id,
            selected_node_ids=body.selected_node_ids,
        )
        done = remote.turn(key, reply)
        answer = done | {
            "text": f"{answer['text']}\n\n{done['text']}",
            "not_done": answer["not_done"] + done["not_done"],
            "citations": answer["citations"] + done["citations"],
            "operations": answer["operations"] + done["operations"],
            "changed": answer["changed"] or done["changed"],
            "diff": f"{answer['diff']}\n{done['diff']}".strip(),
        }
    return answer
