"""Questions that wait for an answer."""

import threading
from datetime import timedelta

import pytest

from corpora import Catalog, Pending
from corpora import pendings as module


def test_a_question_is_kept_and_answered_once(catalog: Catalog) -> None:
    pending_id = catalog.put_pending("local", "1", "confirmation", {"operations": [{"node_id": 3}]}, "a" * 64)
    latest = catalog.latest_pending("local", "1")
    assert latest is not None
    assert (latest.id, latest.kind, latest.content_sha256) == (pending_id, "confirmation", "a" * 64)
    assert latest.payload == {"operations": [{"node_id": 3}]}
    assert catalog.pop_pending("local", "1", pending_id) == latest
    assert catalog.pop_pending("local", "1", pending_id) is None
    assert catalog.latest_pending("local", "1") is None


def test_the_latest_is_the_latest_of_its_project(catalog: Catalog) -> None:
    for kind in ("parameters", "plan"):
        catalog.put_pending("local", "1", kind, {}, "a" * 64)
    catalog.put_pending("local", "2", "confirmation", {}, "a" * 64)
    latest = catalog.latest_pending("local", "1")
    assert latest is not None
    assert latest.kind == "plan"


def test_another_workspace_cannot_answer(catalog: Catalog) -> None:
    pending_id = catalog.put_pending("local", "1", "plan", {}, "a" * 64)
    assert catalog.pop_pending("other", "1", pending_id) is None
    assert catalog.latest_pending("other", "1") is None
    assert catalog.pop_pending("local", "1", pending_id) is not None


def test_of_many_answers_at_once_one_counts(catalog: Catalog) -> None:
    pending_id = catalog.put_pending("local", "1", "plan", {}, "a" * 64)
    answers: list[Pending | None] = []
    threads = [
        threading.Thread(target=lambda: answers.append(catalog.pop_pending("local", "1", pending_id))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([answer for answer in answers if answer]) == 1


def test_questions_that_nobody_answered_go(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    old = catalog.put_pending("local", "1", "plan", {}, "a" * 64)
    monkeypatch.setattr(module, "_KEPT_FOR", timedelta(0))
    catalog.put_pending("local", "2", "plan", {}, "a" * 64)
    assert catalog.pop_pending("local", "1", old) is None
