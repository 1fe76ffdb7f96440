import zipfile
from io import BytesIO

import pytest

from ingest.extracted import ReadError
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
