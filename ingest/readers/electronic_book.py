"""Reads electronic books (epub)."""

import posixpath
import zipfile
from collections.abc import Iterator
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

from ingest.extracted import Extracted, ReadError
from ingest.readers.archive import check_archive
from ingest.readers.formats import PageListener
from ingest.readers.html import add_page
from ingest.readers.text_builder import TextBuilder

# An archive is not trusted: no entities, no network.
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"


def read(data: bytes, progress: PageListener) -> Extracted:
    """A book with the headings, lists and tables of its chapters, in reading order; it has no fixed pages."""
    del progress
    builder = TextBuilder()
    with check_archive(data) as archive:
        package = _package_path(archive)
        locked = set(_locked(archive))
        members = {normalize("NFC", member): member for member in archive.NameToInfo}
        # Each once, however often it is named: a few bytes could otherwise make a book of any length.
        for chapter in dict.fromkeys(_chapters(archive, package)):
            if chapter in locked:
                raise ReadError("ENCRYPTED", "it is copy protected; get a copy without protection.")
            if member := members.get(normalize("NFC", chapter)):  # an accent may be spelled otherwise in its name
                add_page(builder, archive.read(member))
    return builder.build("epub")


def _package_path(archive: zipfile.ZipFile) -> str:
    for path in _values(archive, _CONTAINER, "//*[local-name()='rootfile']/@full-path"):
        if path in archive.NameToInfo:
            return path
    raise ReadError("CORRUPT", "its table of contents is missing; save or export it again.")


def _chapters(archive: zipfile.ZipFile, package: str) -> Iterator[str]:
    """The paths of the files that are read one after the other."""
    root = etree.fromstring(archive.read(package), _PARSER)
    items = root.iterfind(".//{*}manifest/{*}item")
    files = {item.get("id"): item.get("href") for item in items if "nav" not in item.get("properties", "").split()}
    for reference in root.iterfind(".//{*}spine/{*}itemref"):
        if href := files.get(reference.get("idref")):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(urlsplit(href).path)))


def _locked(archive: zipfile.ZipFile) -> Iterator[str]:
    """The files that are encrypted; in many books these are only fonts."""
    if _ENCRYPTION in archive.NameToInfo:
        for path in _values(archive, _ENCRYPTION, "//*[local-name()='CipherReference']/@URI"):
            yield unquote(path)


def _values(archive: zipfile.ZipFile, member: str, xpath: str) -> list[str]:
    if member not in archive.NameToInfo:
        return []
    found = etree.fromstring(archive.read(member), _PARSER).xpath(xpath)
    return [str(value) for value in found] if isinstance(found, list) else []
