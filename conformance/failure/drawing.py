"""Pictures of wrong outputs as inline SVG, in the colours of the page: light, dark or printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup
from rich.cells import cell_len

from conformance.failure.picture import NAN, OPEN, RIGHT, UNWRITTEN
from conformance.record.picture import Picture

LARGEST_SIDE, LARGEST_SQUARE, MARGIN = 512, 24, 26
"""Units of the drawing: of its longer side, of a square, of the room for what stands beside it."""

MOST_BARS = 8
"""Classes of distances that are shown; neighbours are taken together where there are more."""

BAR_LONGEST, BAR_HEIGHT = 200, 20
LETTER, GAP = 7, 8
"""Units of a letter of a bar's label, and between label and bar."""

SVG = (
    '<svg class="{kind}" xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {w} {h}"'
    ' width="{w}">'
    "{body}</svg>"
)


def heat_map(picture: Picture, texts: Mapping[str, Any]) -> Markup:
    """Where the wrong elements lie: a square for each block of the grid, stronger the more of it is
    wrong, and lines where an expert, a core or a tile begins.
    """
    rows, columns = len(picture.grid), len(picture.grid[0]) if picture.grid else 0
    if not rows or not columns:
        return Markup()
    side = max(4, min(LARGEST_SQUARE, LARGEST_SIDE // max(rows, columns)))
    width, height = columns * side, rows * side
    body = [_frame(width, height), *_squares(picture, side)]
    body += _boundaries(picture, side, width, height)
    body += _ruler(picture, texts, width, height)
    said = texts["map words"](wrong=picture.wrong, all=picture.rows * picture.columns)
    label = f"<title>{Markup.escape(picture.output)}: {Markup.escape(said)}</title>"
    whole = "".join([label, *body])
    size = {"w": max(width + 2 * MARGIN, 200), "h": height + 2 * MARGIN}
    return Markup(SVG.format(kind="map", **size, body=whole))


def legend(picture: Picture, texts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the lines and squares of a heat map mean: class of the sign, and words."""
    block = texts["block"](rows=picture.row_step, columns=picture.column_step)
    found = [("wrong", f"{texts['wrong']}; {block}")]
    for kind in ("experts", "cores", "tiles"):
        if getattr(picture, kind):
            found.append((kind, texts[f"begins {kind}"]))
    return found


def histogram(picture: Picture, texts: Mapping[str, Any]) -> Markup:
    """How far the elements lie from what is accepted, a bar for each class."""
    bars = list(_bars(picture, texts))
    most = max(count for _, _, count in bars)
    room = LETTER * max(cell_len(label) for _, label, _ in bars) + GAP
    body = []
    for at, (kind, label, count) in enumerate(bars):
        y = at * BAR_HEIGHT
        length = max(1.5, BAR_LONGEST * count / most) if count else 0
        middle = y + BAR_HEIGHT * 0.68
        body += [
            f'<text x="{room - GAP}" y="{middle}" text-anchor="end">{Markup.escape(label)}</text>',
            f'<rect class="bar {kind}" x="{room}" y="{y + 3}" width="{length:.1f}"'
            f' height="{BAR_HEIGHT - 6}"/>',
            f'<text x="{room + length + 6:.1f}" y="{middle}">{count:,}</text>',
        ]
    size = {"w": room + BAR_LONGEST + 80, "h": len(bars) * BAR_HEIGHT}
    return Markup(SVG.format(kind="bars", **size, body="".join(body)))


def _frame(width: int, height: int) -> str:
    return (
        f'<rect class="frame" x="{MARGIN}" y="{MARGIN}" width="{width}" height="{height}"'
        ' fill="none"/>'
    )


def _squares(picture: Picture, side: int) -> Iterator[str]:
    """The blocks with wrong elements; one path for each shade."""
    paths: dict[int, list[str]] = {}
    for y, row in enumerate(picture.grid):
        height = min(picture.row_step, picture.rows - y * picture.row_step)
        for x, count in enumerate(row):
            if count > 0:
                width = min(picture.column_step, picture.columns - x * picture.column_step)
                shade = max(2, min(5, -(-5 * count // max(1, height * width))))
                place = f"M{MARGIN + x * side} {MARGIN + y * side}"
                paths.setdefault(shade, []).append(f"{place}h{side}v{side}h-{side}z")
    for shade, squares in sorted(paths.items()):
        yield f'<path class="square" opacity="{shade / 5}" d="{"".join(squares)}"/>'


def _boundaries(picture: Picture, side: int, width: int, height: int) -> Iterator[str]:
    for kind, starts in (("cores", picture.cores), ("experts", picture.experts)):
        for row in starts:
            y = MARGIN + row * side / picture.row_step
            yield f'<path class="{kind}" d="M{MARGIN - 8} {y:.1f}h{width + 8}"/>'
    for column in picture.tiles:
        x = MARGIN + column * side / picture.column_step
        yield f'<path class="tiles" d="M{x:.1f} {MARGIN - 8}v{height + 8}"/>'


def _ruler(picture: Picture, texts: Mapping[str, Any], width: int, height: int) -> Iterator[str]:
    across = texts["columns up to"](last=picture.columns - 1)
    yield f'<text x="{MARGIN}" y="{MARGIN - 10}">{Markup.escape(across)}</text>'
    if picture.rows > 1:
        down = texts["rows up to"](last=picture.rows - 1)
        yield f'<text x="{MARGIN}" y="{MARGIN + height + 16}">{Markup.escape(down)}</text>'


def _bars(picture: Picture, texts: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Class, label and count of every bar."""
    found = picture.histogram
    for name, kind in ((RIGHT, "right"), (UNWRITTEN, "unwritten")):
        if name in found:
            yield kind, texts[f"bar {kind}"], found[name]
    distances = sorted(int(name) for name in found if name.isdigit())
    together = -(-len(distances) // MOST_BARS) if distances else 1
    for at in range(0, len(distances), together):
        some = distances[at : at + together]
        first = some[0] // 2 + 1
        span = f"{first}" if first == some[-1] else f"{first:,}–{some[-1]:,}"
        count = sum(found[str(one)] for one in some)
        yield "off", texts["bar off"](span=span, unit=picture.unit).strip(), count
    for name, kind in ((NAN, "nan"), (OPEN, "open")):
        if name in found:
            yield kind, texts[f"bar {kind}"], found[name]
