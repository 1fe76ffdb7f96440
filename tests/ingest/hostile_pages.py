"""Pages of a PDF that a few bytes make take all the time or memory there is, made here byte by byte."""

import zlib
from collections.abc import Callable, Mapping

import pymupdf


def pdf(content: bytes, resources: bytes, objects: Mapping[int, bytes], text: str = "The bell rings twice.") -> bytes:
    """A document of one page that also says `text`; `objects` are numbered from 6."""
    words = b"BT /F 12 Tf 72 700 Td (%s) Tj ET\n" % text.encode()
    resources = b"<< /Font << /F 5 0 R >> %s >>" % resources
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources %s >>" % resources
    all_objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: page,
        4: stream(b"", words + content),
        5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        **objects,
    }
    data, places = b"%PDF-1.7\n", list[int]()
    for number, written in sorted(all_objects.items()):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, written)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, table)
    return data + end + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(places) + 1, len(data))


def stream(entries: bytes, content: bytes) -> bytes:
    """A stream object."""
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


def tiling_pattern() -> bytes:
    """A page that is filled with squares a hundredth of a point wide: billions of them."""
    pattern = stream(
        b"/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 100 100] /XStep .01 /YStep .01 "
        b"/Resources << >>",
        b"1 0 0 rg 0 0 100 100 re f 0 1 0 rg 10 10 50 50 re f",
    )
    return pdf(b"/Pattern cs /P scn 0 0 612 792 re f", b"/Pattern << /P 6 0 R >>", {6: pattern})


def nested_soft_masks(depth: int = 24) -> bytes:
    """Forms of which each draws the next one twice below a soft mask that is the next one, too."""
    objects: dict[int, bytes] = {}
    for level in range(depth):
        form = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency /CS /DeviceRGB >> "
        if level == depth - 1:
            objects[6 + level] = stream(form + b"/Resources << >>", b"0.5 g 0 0 612 792 re f")
            continue
        below = b"%d 0 R" % (7 + level)
        mask = b"/G << /SMask << /S /Luminosity /G %s >> >>" % below
        resources = b"/Resources << /XObject << /X %s >> /ExtGState << %s >> >>" % (below, mask)
        objects[6 + level] = stream(form + resources, b"q /G gs /X Do Q q /G gs /X Do Q")
    return pdf(b"/X Do", b"/XObject << /X 6 0 R >>", objects)


def huge_picture() -> bytes:
    """A picture of 20,000 by 20,000 dots, packed twice: more than a gigabyte in a few bytes."""
    side = 20_000
    packed = zlib.compress(bytes([129, 7]) * (side * side * 3 // 128) + b"\x80")
    picture = stream(
        b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 "
        b"/Filter [/FlateDecode /RunLengthDecode]" % (side, side),
        packed,
    )
    return pdf(b"612 0 0 792 0 0 cm /I Do", b"/XObject << /I 6 0 R >>", {6: picture})


HOSTILE: dict[str, Callable[[], bytes]] = {
    "tiling pattern": tiling_pattern,
    "soft masks": nested_soft_masks,
    "huge picture": huge_picture,
}


def harmless(text: str = "The bell rings twice.") -> bytes:
    """A page like any other."""
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), text)
    return document.tobytes()
