"""What is drawn on the bible's pages, as opposed to set: the title page, the map, the running heads."""

from collections.abc import Sequence

import pymupdf

COLOURS = {
    "night": (0.11, 0.16, 0.22),
    "dusk": (0.16, 0.23, 0.30),
    "salt": (0.96, 0.95, 0.92),
    "barley": (0.80, 0.68, 0.40),
    "tar": (0.13, 0.14, 0.16),
    "lamp": (0.949, 0.757, 0.306),  # f2c14e, and for nothing else
    "line": (0.45, 0.48, 0.50),
    "flats": (0.93, 0.92, 0.88),
    "land": (0.87, 0.83, 0.72),
    "mud": (0.70, 0.66, 0.58),
    "deep": (0.55, 0.66, 0.72),
}
COAST = (
    *((90, 84), (112, 62), (160, 54), (206, 60), (252, 56), (282, 84), (290, 120), (276, 156), (240, 184)),
    *((222, 222), (152, 222), (134, 190), (104, 164), (84, 124)),
)
LABELS = (
    (299, 110, "Nether Quay"),
    (44, 110, "Saltham"),
    (228, 136, "Pell Light"),
    (222, 82, "Constant Ann"),
    (118, 78, "the Wander"),
    (200, 166, "the Flats"),
    (154, 14, "the Causeway, 94 km"),
    (196, 102, "by night, 26 km"),
    (230, 210, "Cadder Barrage, nine gates"),
    (110, 210, "Cadder"),
    (148, 238, "what is left of the sea"),
)


def title_page(page: pymupdf.Page, title: str, subtitle: str, edition: str) -> None:
    """Night, a plain, a tower with its two flashes, and the words."""
    shape = page.new_shape()
    bounds = page.rect
    shape.draw_rect(bounds)
    shape.finish(color=None, fill=COLOURS["night"])
    lens = pymupdf.Point(372, 418)
    for far, near, opacity in (((-20, 356), (-20, 432), 0.34), ((519, 372), (519, 424), 0.22)):
        shape.draw_polyline([lens, pymupdf.Point(far), pymupdf.Point(near), lens])
        shape.finish(color=None, fill=COLOURS["lamp"], fill_opacity=opacity)
    shape.draw_rect(pymupdf.Rect(0, 590, bounds.x1, bounds.y1))
    shape.finish(color=None, fill=COLOURS["dusk"])
    for index in range(100):  # barley
        x = index * 5.05 + (index * 7 % 5)
        height = 12 + index * 13 % 17
        shape.draw_line(pymupdf.Point(x, 592), pymupdf.Point(x + (index * 3 % 7) - 3, 592 - height))
    shape.finish(color=COLOURS["barley"], width=0.8, stroke_opacity=0.75)
    _tower(shape, lens)
    shape.commit(overlay=False)
    page.insert_htmlbox(
        pymupdf.Rect(58, 92, 440, 300),
        f"<h1>{title}</h1><h2>{subtitle}</h2>",
        css="* { font-family: serif; color: #f5f2ea; margin: 0; }"
        "h1 { font-size: 46px; line-height: 1.05; }"
        "h2 { font-size: 15px; font-weight: normal; font-style: italic; margin-top: 14px; }",
    )
    page.insert_htmlbox(
        pymupdf.Rect(58, 640, 440, 690),
        "".join(f"<p>{line}</p>" for line in edition.splitlines()),
        css="p { font-family: serif; font-size: 9.5px; color: #d8d4c6; margin: 0; line-height: 1.4; }",
    )


def _tower(shape: pymupdf.Shape, lens: pymupdf.Point) -> None:
    x, y = lens
    shape.draw_polyline([(x - 13, y + 22), (x + 13, y + 22), (x + 21, 594), (x - 21, 594)])
    shape.finish(color=None, fill=COLOURS["salt"], closePath=True)
    shape.draw_polyline([(x - 19, 560), (x + 19, 560), (x + 21, 594), (x - 21, 594)])
    shape.finish(color=None, fill=COLOURS["tar"], closePath=True)
    shape.draw_rect(pymupdf.Rect(x - 19, y + 17, x + 19, y + 22))
    shape.draw_polyline([(x - 12, y - 11), (x, y - 23), (x + 12, y - 11)])
    shape.finish(color=None, fill=COLOURS["tar"], closePath=True)
    shape.draw_rect(pymupdf.Rect(x - 10, y - 11, x + 10, y + 17))
    shape.finish(color=COLOURS["tar"], fill=COLOURS["lamp"], width=0.8)
    for window in (470, 505, 540):
        shape.draw_rect(pymupdf.Rect(x - 2.5, window, x + 2.5, window + 9))
    shape.finish(color=None, fill=COLOURS["tar"])


def map_of_the_flats(page: pymupdf.Page, frame: pymupdf.Rect) -> None:
    """The Flats, not to scale, as they were on one Friday."""
    x, y = frame.x0, frame.y0

    def at(right: float, down: float) -> pymupdf.Point:
        return pymupdf.Point(x + right, y + down)

    shape = page.new_shape()
    shape.draw_rect(frame)
    shape.finish(color=None, fill=COLOURS["land"])
    _smooth(shape, [at(*point) for point in COAST])
    shape.finish(color=COLOURS["line"], fill=COLOURS["flats"], width=0.9)
    shape.draw_rect(pymupdf.Rect(at(0, 222), frame.br))
    shape.finish(color=None, fill=COLOURS["deep"])
    shape.draw_bezier(at(176, 62), at(214, 104), at(138, 132), at(186, 206))
    shape.finish(color=COLOURS["mud"], width=10, stroke_opacity=0.85, closePath=False)
    shape.draw_line(at(288, 116), at(88, 116))
    shape.finish(color=COLOURS["tar"], width=0.9, dashes="[3 3]")
    shape.draw_bezier(at(290, 112), at(312, 0), at(62, 0), at(84, 112))
    shape.finish(color=COLOURS["tar"], width=1.3, closePath=False)
    shape.draw_line(at(152, 222), at(222, 222))
    shape.finish(color=COLOURS["tar"], width=4)
    shape.draw_line(at(276, 95), at(285, 99))
    shape.finish(color=COLOURS["tar"], width=2)
    for town in ((290, 116), (84, 116), (150, 221)):
        shape.draw_circle(at(*town), 3.2)
    shape.finish(color=None, fill=COLOURS["tar"])
    shape.draw_circle(at(266, 129), 4.6)
    shape.finish(color=COLOURS["tar"], fill=COLOURS["lamp"], width=0.8)
    shape.draw_rect(frame)
    shape.finish(color=COLOURS["line"], width=0.6)
    shape.commit(overlay=False)
    for right, down, text in LABELS:
        _label(page, pymupdf.Rect(at(right, down), at(right + 150, down + 14)), text)


def _smooth(shape: pymupdf.Shape, points: Sequence[pymupdf.Point]) -> None:
    """A closed curve through points: each piece leaves a point in the direction of its neighbours."""
    count = len(points)
    for index, start in enumerate(points):
        before, end, after = points[index - 1], points[(index + 1) % count], points[(index + 2) % count]
        shape.draw_bezier(start, start + (end - before) / 6, end - (after - start) / 6, end)


def running_head(page: pymupdf.Page, title: str, chapter: str, number: int) -> None:
    """The title and the chapter at the head of a page, its number at the foot."""
    _small(page, (62, 44, 250, 58), f"<p><i>{title}</i></p>")
    _small(page, (220, 44, 437, 58), f'<p style="text-align: right">{chapter}</p>')
    page.draw_line((62, 60), (437, 60), color=COLOURS["line"], width=0.4)
    _small(page, (62, 662, 437, 678), f'<p style="text-align: center">{number}</p>')


def _small(page: pymupdf.Page, frame: tuple[float, float, float, float], markup: str) -> None:
    style = "* { font-family: serif; font-size: 8.5px; color: #5d6670; margin: 0; }"
    page.insert_htmlbox(pymupdf.Rect(frame), markup, css=style)


def _label(page: pymupdf.Page, frame: pymupdf.Rect, text: str) -> None:
    style = "p { font-family: serif; font-style: italic; font-size: 8.5px; margin: 0; }"
    page.insert_htmlbox(frame, f"<p>{text}</p>", css=style)
