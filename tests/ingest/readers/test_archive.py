import tracemalloc
import zipfile
from io import BytesIO

import pytest

from ingest.extracted import ReadError
from ingest.readers import read, told_by_content
from ingest.readers.archive import MAX_MARKUP_BYTES, check_archive


def packed(name: str, size: int) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(size))
    return file.getvalue()


def test_an_ordinary_archive_is_opened() -> None:
    with check_archive(packed("word/document.xml", 100)) as archive:
        assert archive.namelist() == ["word/document.xml"]


def test_a_zip_bomb_is_refused_without_unpacking_it() -> None:
    with pytest.raises(ReadError, match="larger than") as refused:
        check_archive(packed("word/document.xml", MAX_MARKUP_BYTES + 1))
    assert refused.value.code == "TOO_LARGE"


def test_a_truncated_archive_is_corrupt() -> None:
    with pytest.raises(ReadError, match="damaged") as refused:
        check_archive(packed("word/document.xml", 1000)[:60])
    assert refused.value.code == "CORRUPT"


def crowded(entries: int) -> bytes:
    """An archive whose directory names one file over and over."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", b"")
    data = file.getvalue()
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    entry = data[start:end]
    size = (len(entry) * entries).to_bytes(4, "little")
    return data[:start] + entry * entries + data[end : end + 12] + size + data[end + 16 :]


@pytest.mark.parametrize("name", ["bible.docx", "bible.odt", "bible.xlsx", "bible.epub", "bible.ods", "bible.zip"])
def test_an_archive_of_a_million_files_is_refused_before_their_list_is_read(name: str) -> None:
    data = crowded(1_000_000)
    tracemalloc.start()
    with pytest.raises(ReadError, match="files are packed") as refused:
        read(name, data)
    assert told_by_content(BytesIO(data)) is None
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused.value.code == "TOO_LARGE"
    assert most < 2 * len(data), "the list of a million takes half a gigabyte"
