"""The measures as a bar chart."""

from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _LEFT, _TOP = 760, 250, 66
_BAR, _ROW = (13, 7), 32  # the bars of a row, one below the other
_OURS, _OTHERS = ("#22577a", "#7aa5bf"), ("#8d99a3", "#c9d0d5")


def picture(title: str, series: Sequence[str], values: Mapping[str, Sequence[float]]) -> str:
    """An SVG with a row for each name, ours first and blue, and in it a bar for each of two series.

    Args:
        title: What is measured.
        series: What the two bars of a row are.
        values: Two values between 0 and 1 for each name.
    """
    height = _TOP + len(values) * _ROW + 10
    rows = [_row(number, name, pair) for number, (name, pair) in enumerate(values.items())]
    grid = [_line(tenth / 10, height) for tenth in range(0, 11, 2)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif">',
            f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
            f'<text x="10" y="22" font-size="14" font-weight="bold">{escape(title)}</text>',
            *_legend(series),
            *grid,
            *rows,
            "</svg>\n",
        ]
    )


def _legend(series: Sequence[str]) -> list[str]:
    colours = zip(_OURS, _OTHERS, strict=True)
    return [
        f'<rect x="{_LEFT + 170 * place}" y="34" width="10" height="10" fill="{ours}"/>'
        f'<rect x="{_LEFT + 170 * place + 12}" y="34" width="10" height="10" fill="{others}"/>'
        f'<text x="{_LEFT + 170 * place + 28}" y="43" font-size="12">{escape(name)}</text>'
        for place, (name, (ours, others)) in enumerate(zip(series, colours, strict=True))
    ]


def _line(value: float, height: int) -> str:
    x = _LEFT + _scaled(value)
    return (
        f'<line x1="{x}" x2="{x}" y1="{_TOP - 4}" y2="{height - 8}" stroke="#e3e7ea"/>'
        f'<text x="{x}" y="{_TOP - 8}" font-size="10" fill="#7d8790" text-anchor="middle">{value:.1f}</text>'
    )


def _row(number: int, name: str, pair: Sequence[float]) -> str:
    top = _TOP + number * _ROW + 4
    thick, thin = _BAR
    first, second = _OTHERS if number else _OURS
    one, other = pair
    return (
        f'<text x="{_LEFT - 8}" y="{top + 14}" font-size="13" text-anchor="end">{escape(name)}</text>'
        f'<rect x="{_LEFT}" y="{top}" width="{_scaled(one)}" height="{thick}" fill="{first}"/>'
        f'<rect x="{_LEFT}" y="{top + thick}" width="{_scaled(other)}" height="{thin}" fill="{second}"/>'
        f'<text x="{_LEFT + _scaled(max(pair)) + 6}" y="{top + 14}" font-size="12">{one:.3f}  ·  {other:.3f}</text>'
    )


def _scaled(value: float) -> int:
    return round(value * (_WIDTH - _LEFT - 110))
