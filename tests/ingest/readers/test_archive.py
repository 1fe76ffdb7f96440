import tracemalloc
import zipfile
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import scan
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


def crowded(entries: int, name: str = "a") -> bytes:
    """An archive whose directory names one file over and over."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, b"")
    data = file.getvalue()
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    entry = data[start:end]
    size = (len(entry) * entries).to_bytes(4, "little")
    return data[:start] + entry * entries + data[end : end + 12] + size + data[end + 16 :]


@pytest.fixture(scope="module")
def of_a_million() -> bytes:
    return crowded(1_000_000)


@pytest.mark.parametrize("name", ["bible.docx", "bible.odt", "bible.xlsx", "bible.epub", "bible.ods", "bible.zip"])
def test_an_archive_of_a_million_files_is_refused_before_their_list_is_read(name: str, of_a_million: bytes) -> None:
    data = of_a_million
    tracemalloc.start()
    with pytest.raises(ReadError, match="files are packed") as refused:
        read(name, data)
    assert told_by_content(BytesIO(data)) is None
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused.value.code == "TOO_LARGE"
    assert most < 2 * len(data), "the list of a million takes half a gigabyte"


def declaring(kind: bytes, packing: int) -> bytes:
    """An archive that says what it is, as books and documents of LibreOffice do."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        archive.writestr("mimetype", kind)
    return file.getvalue()


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_what_an_archive_declares_to_be_is_read(packing: int) -> None:
    assert told_by_content(BytesIO(declaring(b"application/epub+zip", packing))) == "epub"


@cache
def nulls(packing: int) -> bytes:
    return declaring(bytes(12_000_000), packing)


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("name", ["bible.docx", "bible.odt", "bible.xlsx", "bible.epub", "bible.ods", "bible.zip"])
def test_what_is_packed_as_no_documents_are_is_not_unpacked(name: str, packing: int) -> None:
    data = nulls(packing)
    tracemalloc.start()
    assert told_by_content(BytesIO(data)) is None
    with pytest.raises(ReadError):
        read(name, data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000, "the whole of it takes twelve"


_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_ARCHIVES = [declaring(b"application/epub+zip", packing) for packing in _PACKINGS]


@given(
    data=st.sampled_from(_ARCHIVES),
    damage=st.lists(st.tuples(st.integers(4, 400), st.integers(0, 255)), max_size=12),
    end=st.integers(-40, 0),
)
def test_a_damaged_archive_is_refused_in_words(data: bytes, damage: list[tuple[int, int]], end: int) -> None:
    damaged = bytearray(data)
    for place, value in damage:
        damaged[4 + place % (len(data) - 4)] = value
    whole = bytes(damaged[: len(damaged) + end])
    assert told_by_content(BytesIO(whole)) in {None, "epub"}
    with pytest.raises(ReadError):
        read("bible.zip", whole)


def test_in_a_folder_no_long_list_is_read_to_tell_what_a_file_of_unknown_kind_is(tmp_path: Path) -> None:
    for name, entries in ("short.bin", 200), ("long.bin", 80_000):
        (tmp_path / name).write_bytes(crowded(entries, "word/document.xml"))
    tracemalloc.start()
    found = scan(tmp_path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.readable == ("short.bin",)
    assert most < 2_000_000, "the list of the long one takes forty"


def test_a_damaged_archive_does_not_stop_its_folder(tmp_path: Path) -> None:
    packed_otherwise = bytearray(declaring(b"application/epub+zip", zipfile.ZIP_LZMA))
    packed_otherwise[45:55] = b"\xff" * 10
    (tmp_path / "broken.bin").write_bytes(packed_otherwise)
    (tmp_path / "bible.md").write_text("# Maren\n\nShe keeps the lighthouse.", encoding="utf-8")
    found = scan(tmp_path)
    assert found.readable == ("bible.md",)
    assert found.names == {"bible.md", "broken.bin"}
