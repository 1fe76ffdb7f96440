"""The measures as a bar chart."""

from collections.abc import Mapping
from html import escape

_WIDTH, _LEFT, _BAR, _GAP = 760, 260, 16, 10


def picture(title: str, values: Mapping[str, float]) -> str:
    """An SVG with one bar for each value between 0 and 1, the first one ours and dark."""
    height = 50 + len(values) * (_BAR + _GAP)
    rows = [_bar(number, name, value) for number, (name, value) in enumerate(values.items())]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif">',
            f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
            f'<text x="10" y="24" font-size="14" font-weight="bold">{escape(title)}</text>',
            *rows,
            "</svg>\n",
        ]
    )


def _bar(number: int, name: str, value: float) -> str:
    top = 40 + number * (_BAR + _GAP)
    width = round(value * (_WIDTH - _LEFT - 60))
    colour = "#9aa7b1" if number else "#22577a"
    return (
        f'<text x="{_LEFT - 8}" y="{top + 13}" font-size="13" text-anchor="end">{escape(name)}</text>'
        f'<rect x="{_LEFT}" y="{top}" width="{width}" height="{_BAR}" fill="{colour}"/>'
        f'<text x="{_LEFT + width + 6}" y="{top + 13}" font-size="13">{value:.3f}</text>'
    )
