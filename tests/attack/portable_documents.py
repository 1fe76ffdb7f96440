"""PDFs of which a page takes much to read or to draw."""

import zlib
from collections.abc import Callable

_PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {side} {side}] /Contents 4 0 R /Resources {resources} >>"
_FONT = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
_WORDS = b" BT /F 12 Tf 50 50 Td (Elena keeps the lighthouse.) Tj ET"


def portable_document(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalog."""
    data, places = b"%PDF-1.7\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    return data + head + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(data))


def stream(content: bytes, **fields: str) -> bytes:
    """A compressed stream object; the names of `fields` are written with a slash."""
    packed = zlib.compress(content)
    listed = " ".join(f"/{name} {value}" for name, value in ({"Filter": "/FlateDecode"} | fields).items())
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (listed.encode(), len(packed), packed)


def _one_page(content: bytes, resources: str, *more: bytes, side: int = 600) -> bytes:
    """A page whose content is object 4; `more` begin with object 5."""
    page = _PAGE.format(side=side, resources=f"<< {_FONT} {resources} >>").encode()
    pages = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return portable_document(b"<< /Type /Catalog /Pages 2 0 R >>", pages, page, stream(content + _WORDS), *more)


def tiles(share: float) -> bytes:
    """A page filled with a pattern .01 wide: 3,600 million tiles."""
    step = 0.01 / share
    cell = f"/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 {step} {step}] /XStep {step} /YStep {step}"
    pattern = stream(b"1 0 0 rg 0 0 .005 .005 re f", Resources="<< >>").replace(b"<< ", f"<< {cell} ".encode(), 1)
    return _one_page(b"/Pattern cs /P scn 0 0 600 600 re f", "/Pattern << /P 5 0 R >>", pattern)


def soft_masks(share: float) -> bytes:
    """Groups in groups, each behind a soft mask of the size of the page."""
    depth, more = max(3, int(400 * share)), list[bytes]()
    for level in range(depth):
        at = 5 + 2 * level
        inner = f"/G gs /X Do /X Do {level / depth} g 0 0 600 600 re f" if level + 1 < depth else "0 0 600 600 re f"
        names = f"<< /ExtGState << /G {at + 1} 0 R >> /XObject << /X {min(at + 2, 5 + 2 * (depth - 1))} 0 R >> >>"
        group = {"Type": "/XObject", "Subtype": "/Form", "BBox": "[0 0 600 600]", "Resources": names}
        more.append(stream(inner.encode(), **group, Group="<< /S /Transparency /CS /DeviceRGB >>"))
        mask = min(at + 2, 5 + 2 * (depth - 1))
        more.append(f"<< /Type /ExtGState /SMask << /S /Luminosity /G {mask} 0 R >> >>".encode())
    return _one_page(b"/G gs /X Do", "/XObject << /X 5 0 R >> /ExtGState << /G 6 0 R >>", *more)


def huge_image(share: float) -> bytes:
    """One picture, of 20,000 by 20,000 points in colour."""
    side = max(50, int(20_000 * share**0.5))
    image = {"Type": "/XObject", "Subtype": "/Image", "Width": f"{side}", "Height": f"{side}", "BitsPerComponent": "8"}
    packed = zlib.compressobj(1)
    rows = b"".join(packed.compress(bytes(side * 3)) for _ in range(side)) + packed.flush()
    fields = " ".join(f"/{name} {value}" for name, value in (image | {"ColorSpace": "/DeviceRGB"}).items())
    data = b"<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (fields.encode(), len(rows), rows)
    return _one_page(b"q 600 0 0 600 0 0 cm /I Do Q", "/XObject << /I 5 0 R >>", data)


def many_images(share: float) -> bytes:
    """The same picture, drawn again and again."""
    image = {"Type": "/XObject", "Subtype": "/Image", "Width": "2000", "Height": "2000", "BitsPerComponent": "8"}
    data = stream(bytes(4_000_000), **image, ColorSpace="/DeviceGray")
    return _one_page(b"q 600 0 0 600 0 0 cm /I Do Q " * int(20_000 * share), "/XObject << /I 5 0 R >>", data)


def endless_form(_share: float) -> bytes:
    """A form that draws itself, twice."""
    form = {"Type": "/XObject", "Subtype": "/Form", "BBox": "[0 0 9 9]", "Resources": "<< /XObject << /X 5 0 R >> >>"}
    return _one_page(b"/X Do", "/XObject << /X 5 0 R >>", stream(b"/X Do /X Do", **form))


def doubling_forms(share: float) -> bytes:
    """Forty forms that each draw the next one twice."""
    depth = max(8, int(40 * share))
    more = [
        stream(
            b"/X Do /X Do" if level + 1 < depth else b"0 0 9 9 re f",
            Type="/XObject",
            Subtype="/Form",
            BBox="[0 0 9 9]",
            Resources=f"<< /XObject << /X {6 + level} 0 R >> >>",
        )
        for level in range(depth)
    ]
    return _one_page(b"/X Do", "/XObject << /X 5 0 R >>", *more)


def huge_page(share: float) -> bytes:
    """A page of the size of a country."""
    return _one_page(b"", "", side=int(1_000_000_000 * share))


def strokes(share: float) -> bytes:
    """One line with dashes that are far too short."""
    return _one_page(b"[.0001] 0 d 5 w 0 0 m %d 600 l S " % int(600 * share) * int(1000 * share + 1), "")


def inflated(share: float) -> bytes:
    """A content that is packed three times."""
    content = zlib.compress(zlib.compress(b"0 0 m " * int(50_000_000 * share), 9), 9)
    packed = stream(content, Filter="[/FlateDecode /FlateDecode /FlateDecode]")
    page = _PAGE.format(side=600, resources=f"<< {_FONT} >>").encode()
    pages = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return portable_document(b"<< /Type /Catalog /Pages 2 0 R >>", pages, page, packed)


def endless_pages(_share: float) -> bytes:
    """A tree of pages that has itself as a branch."""
    return portable_document(
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 9999999 >>", b"null"
    )


def endless_outline(_share: float) -> bytes:
    """Bookmarks that follow each other in a circle."""
    data = _one_page(b"", "", b"<< /First 6 0 R /Last 6 0 R /Count 9 >>", b"<< /Title (a) /Next 6 0 R /First 6 0 R >>")
    return data.replace(b"/Catalog ", b"/Catalog /Outlines 5 0 R ", 1)


def many_pages(share: float) -> bytes:
    """One page, named 100,000 times."""
    count = int(100_000 * share)
    data = _one_page(b"", "")
    return data.replace(b"[3 0 R] /Count 1 ", b"[%s] /Count %d " % (b"3 0 R " * count, count), 1)


PORTABLE_DOCUMENTS: list[Callable[[float], bytes]] = [
    tiles, soft_masks, huge_image, many_images, endless_form, doubling_forms, huge_page, strokes, inflated,
    endless_pages, endless_outline, many_pages,
]  # fmt: skip
