"""Documents that cost a reader much, that lie about themselves, or that ask for what is not theirs."""

import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO

from tests.attack.frames import ODD_NAMES
from tests.attack.portable_documents import PORTABLE_DOCUMENTS

_MIB = 2**20
_SMALL = 1_000
_SECRET = "/etc/passwd"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


@dataclass(frozen=True)
class Hostile:
    """One document.

    Attributes:
        name: What it is uploaded as.
        data: Its bytes.
        pages: Which of its pages are asked for as pictures.
    """

    name: str
    data: bytes
    pages: tuple[int, ...] = ()


def hostile_documents(count: int, seed: int) -> Iterator[Hostile]:
    """`count` documents: each kind once, then again with other sizes. Few are a thousandth of what many would be."""
    chance = random.Random(seed)
    kinds = [*_KINDS, *(_of_a_page(make) for make in PORTABLE_DOCUMENTS)]
    share = 1.0 if count >= len(kinds) else 1 / _SMALL
    order = chance.sample(kinds, len(kinds))
    for number in range(count):
        document = order[number % len(order)](share if number < len(order) else share * chance.random())
        yield Hostile(f"{number}-{document.name}", document.data, document.pages)
    for name in ODD_NAMES if count >= len(kinds) else ODD_NAMES[:3]:
        yield Hostile(name.encode("utf-8", "replace").decode(), b"# Elena\n\nShe keeps the lighthouse.\n")


def unique_words(count: int, seed: int) -> bytes:
    """A text in which no word comes twice; about nine bytes each."""
    chance = random.Random(seed)
    return b" ".join(b"%08x" % chance.getrandbits(32) for _ in range(count))


def _of_a_page(make: Callable[[float], bytes]) -> Callable[[float], Hostile]:
    return lambda share: Hostile(f"{make.__name__}.pdf", make(share), (1,))


# --- archives ------------------------------------------------------------------------------------------------------


def archive(**members: str | bytes) -> bytes:
    """A ZIP archive; `__` in a member's name is a slash."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return file.getvalue()


def many_entries(count: int) -> bytes:
    """An archive whose directory says `count` times that it has the same empty member; 47 bytes each."""
    name = b"a"
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0) + name
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0) + name
    size, start = len(entry) * count, len(local)
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, start + size, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return local + entry * count + record + locator + end


def book(chapter: str, spine: str, package: str = "", **more: str) -> bytes:
    """An EPUB with one chapter, which the spine may name as often as it likes."""
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
    )
    opf = (
        f'{package}<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="one" href="one.xhtml"/></manifest>'
        f"<spine>{spine}</spine></package>"
    )
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "book.opf": opf}
    return archive(**members, **{"one.xhtml": chapter}, **more)


def _word(body: str, head: str = "") -> bytes:
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>'
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{kind}" Target="word/document.xml"/></Relationships>'
    )
    document = f'{head}<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    return archive(**{"[Content_Types].xml": types, "_rels/.rels": relations, "word/document.xml": document})


def _sheets(rows: str, head: str = "") -> bytes:
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    sheet = (
        f'{head}<worksheet xmlns="{_SHEET}"><dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>'
    )
    named = '<sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets>'
    workbook = f'<workbook xmlns="{_SHEET}" xmlns:r="{relation}">{named}</workbook>'
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{relation}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    )
    members = {"xl/workbook.xml": workbook, "xl/_rels/workbook.xml.rels": relations, "xl/worksheets/sheet1.xml": sheet}
    return archive(**{"[Content_Types].xml": "<Types/>"}, **members)


def _open_document(body: str, head: str = "", kind: str = "text") -> bytes:
    office = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'{head}<office:document-content xmlns:office="{office}:office:1.0" xmlns:text="{office}:text:1.0" '
        f'xmlns:table="{office}:table:1.0"><office:body><office:{kind}>{body}</office:{kind}></office:body>'
        "</office:document-content>"
    )
    return archive(mimetype=f"application/vnd.oasis.opendocument.{kind}", **{"content.xml": content})


_ENTITY = f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{_SECRET}">]>'
_LEVELS = "".join(f"<!ENTITY a{level} '{f'&a{level - 1};' * 10}'>" for level in range(1, 12))
_LAUGHS = f"<!DOCTYPE r [<!ENTITY a0 'ha'>{_LEVELS}]>"


def _of_text(suffix: str, make: Callable[[int], str | bytes], size: int) -> Callable[[float], Hostile]:
    """A kind of document that is `size` of something long."""

    def sized(share: float) -> Hostile:
        made = make(max(10, int(size * share)))
        return Hostile(f"text.{suffix}", made.encode("utf-8", "surrogatepass") if isinstance(made, str) else made)

    return sized


def _row(at: int) -> str:
    return f'<row r="{at}"><c r="XFD{at}" t="inlineStr"><is><t>far</t></is></c></row>'


_KINDS: list[Callable[[float], Hostile]] = [
    _of_text("epub", lambda n: book("<p>Elena keeps the lighthouse. " * 20, '<itemref idref="one"/>' * n), 20_000),
    _of_text("epub", lambda _: book("<p>&x;", '<itemref idref="one"/>', _ENTITY), 1),
    _of_text("epub", lambda _: book(f"{_ENTITY}<html><p>&x;</p></html>", '<itemref idref="one"/>'), 1),
    _of_text("epub", lambda n: book("<p>" * n, '<itemref idref="one"/>'), 500_000),
    _of_text("epub", many_entries, 1_000_000),
    _of_text("docx", many_entries, 3_000_000),
    _of_text("xlsx", many_entries, 1_000_000),
    _of_text("docx", lambda n: _word("<w:p><w:r><w:t>a</w:t></w:r></w:p>" * n), 1_500_000),
    _of_text("docx", lambda n: _word("<w:tbl><w:tr><w:tc>" * n), 100_000),
    _of_text("docx", lambda n: _word(f"<w:p><w:r><w:t>{' ' * n}</w:t></w:r></w:p>"), 400 * _MIB),
    _of_text("docx", lambda _: _word("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>", _ENTITY), 1),
    _of_text("docx", lambda _: _word("<w:p><w:r><w:t>&a11;</w:t></w:r></w:p>", _LAUGHS), 1),
    _of_text("xlsx", lambda _: _sheets(_row(1) + _row(1_048_576)), 1),
    _of_text("xlsx", lambda n: _sheets("".join(map(_row, range(1, n)))), 100_000),
    _of_text("xlsx", lambda _: _sheets('<row r="1"><c r="A1" t="inlineStr"><is><t>&x;</t></is></c></row>', _ENTITY), 1),
    _of_text("odt", lambda _: _open_document("<text:p>&x;</text:p>", _ENTITY), 1),
    _of_text("odt", lambda _: _open_document("<text:p>&a11;</text:p>", _LAUGHS), 1),
    _of_text("odt", lambda n: _open_document(f'<text:p>a<text:s text:c="{n}"/></text:p>'), 2_000_000_000),
    _of_text(
        "ods",
        lambda n: _open_document(
            f'<table:table><table:table-row table:number-rows-repeated="{n}"><table:table-cell '
            f'table:number-columns-repeated="16384"><text:p>a</text:p></table:table-cell></table:table-row></table:table>',
            kind="spreadsheet",
        ),
        1_048_576,
    ),
    _of_text("html", lambda n: "<div>" * n, 1_000_000),
    _of_text("html", lambda n: "<p " + " ".join(f"a{at}=1" for at in range(n)) + ">a", 300_000),
    _of_text("html", lambda n: "<table>" + "<tr><td rowspan=60000 colspan=1000>a" * n, 2000),
    _of_text("md", lambda n: ">" * n + "a", 100_000),
    _of_text("md", lambda n: "[" * n, 100_000),
    _of_text("md", lambda n: "*a **b " * n, 100_000),
    _of_text("md", lambda n: "|a" * n + "|\n" + "|-" * n + "|\n" + ("|b" * n + "|\n") * 10, 20_000),
    _of_text("md", lambda n: "".join(f"{'#' * (1 + at % 6)} H{at}\n\na\n\n" for at in range(n)), 150_000),
    _of_text("md", lambda n: "- " * n + "a", 20_000),
    _of_text("rtf", lambda n: r"{\rtf1 " + "{" * n, 1_000_000),
    _of_text("rtf", lambda n: rf"{{\rtf1 \bin{n}000 a}}", 1_000_000),
    _of_text("csv", lambda n: ",".join(f"c{at}" for at in range(n)) + "\n" + "1," * n, 200_000),
    _of_text("csv", lambda n: '"' + "a\n" * n, 1_000_000),
    _of_text("tsv", lambda n: ("\t" * 1000 + "\n") * n, 5_000),
    _of_text("arrow", lambda n: "[" * n, 1_000_000),
    _of_text(
        "arrow",
        lambda n: f'{{"resources": {{"nodes": {{{",".join(f"{chr(34)}{at}{chr(34)}:{{}}" for at in range(n))}}}}}}}',
        500_000,
    ),
    _of_text("ink", lambda n: "".join(f"=== k{at}\n{'*' * 50} a\n-> k{at}\n" for at in range(n)), 20_000),
    _of_text("yarn", lambda n: "title: a\n---\n<<if " + "(" * n + ">>\n===\n", 500_000),
    _of_text("twee", lambda n: ":: a\n" + "[[a|" * n, 300_000),
    _of_text("fountain", lambda n: "/*" * n + "\n" + "(" * n, 300_000),
    _of_text("txt", lambda n: "a" * n, 10 * _MIB),
    _of_text("txt", lambda n: "e" + "\u0301" * n, 2 * _MIB),
    _of_text("txt", lambda n: "\u202e\x1b]0;a\x07\0" * n, 100_000),
    _of_text("txt", lambda n: "a\n" * n, 2 * _MIB),
    _of_text("txt", lambda n: random.Random(n).randbytes(n), 5 * _MIB),
    _of_text("txt", lambda n: unique_words(n, n), 200_000),
    _of_text("xyz", lambda n: zlib.compress(bytes(n)), 100 * _MIB),
]
