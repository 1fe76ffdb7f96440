import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from corpora import Catalog, Document, ProjectKey
from corpora.page_numbers import PageNumbers

MANY = tuple(range(2, 5001, 2))


@pytest.mark.parametrize("numbers", [(), (1,), (3, 5, 6, 7), MANY])
def test_page_numbers_are_a_sequence_and_come_back_from_a_column(numbers: tuple[int, ...]) -> None:
    read = PageNumbers.read(json.loads(json.dumps(PageNumbers.of(reversed(numbers)).kept())))
    assert read == numbers
    assert (len(read), bool(read), read[:2], list(read)) == (len(numbers), bool(numbers), numbers[:2], list(numbers))
    assert [number for number in range(-1, 5003) if number in read] == list(numbers)
    assert PageNumbers.read(list(numbers)) == read, "as an older Fletcher wrote them"
    assert hash(read) == hash(numbers)


def test_a_document_keeps_little_of_very_many_page_numbers(
    catalog: Catalog, key: ProjectKey, put: Callable[..., Document]
) -> None:
    whole: dict[str, Any] = {"format": "pdf", "sha256": "0" * 64, "size": 1, "text": "", "pages": [], "passages": []}
    for number in range(10):
        lists: dict[str, Any] = {"pages_without_text": MANY, "pages_with_hidden_text": MANY, "pages_recognized": MANY}
        catalog.put_document(key, name=f"{number}.pdf", **whole, **lists)
    catalog.documents(key)
    tracemalloc.start()
    try:
        found = catalog.documents(key)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert all(one.pages_without_text == MANY == one.pages_recognized for one in found)
    assert kept < 10 * 5_000
