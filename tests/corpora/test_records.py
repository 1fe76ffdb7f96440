"""Keys and ids: what may be one, and that they depend on what they should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import InvalidName, Passage, ProjectKey, passage_id

IDENTIFIERS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", fullmatch=True)


@given(IDENTIFIERS, IDENTIFIERS)
def test_a_key_keeps_its_parts(workspace: str, project_id: str) -> None:
    key = ProjectKey(workspace, project_id)
    assert (key.workspace, key.project_id) == (workspace, project_id)


@pytest.mark.parametrize("bad", ["", ".", "..", "-1", "a/b", "a b", "a\n", "ü", "x" * 65, "a\0"])
def test_what_is_no_identifier_is_refused_by_name(bad: str) -> None:
    with pytest.raises(InvalidName, match="project id") as refused:
        ProjectKey("local", bad)
    assert refused.value.code == "INVALID_NAME"
    with pytest.raises(InvalidName, match="workspace"):
        ProjectKey(bad, "1")


@given(st.tuples(IDENTIFIERS, IDENTIFIERS, st.text()), st.tuples(IDENTIFIERS, IDENTIFIERS, st.text()))
def test_document_ids_differ_where_anything_differs(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    ids = {ProjectKey(workspace, project).document_id(name) for workspace, project, name in (one, other)}
    assert len(ids) == len({one, other})


def test_document_ids_are_as_published() -> None:
    # The first 16 digits of the SHA-256 of "local\0" + "1\0" + "bible.pdf": stored ids depend on it.
    assert ProjectKey("local", "1").document_id("bible.pdf") == "d0cceb5025fddb0e"


def test_passage_ids_depend_on_document_heading_text_and_occurrence() -> None:
    ids = {
        passage_id("d", ("A", "B"), "text", 0),
        passage_id("e", ("A", "B"), "text", 0),
        passage_id("d", ("A",), "text", 0),
        passage_id("d", ("A", "B"), "other", 0),
        passage_id("d", ("A", "B"), "text", 1),
    }
    assert len(ids) == 5
    assert all(len(identifier) == 32 for identifier in ids)


def test_the_heading_path_is_embedded_with_the_text() -> None:
    passage = Passage("p", "d", "bible.pdf", 1, 1, ("People", "Elena"), 0, 5, "She …")
    assert passage.embedding_text == "People > Elena\nShe …"
    assert len(passage.embedding_hash) == 64
