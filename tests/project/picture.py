"""The README's picture of a failure: ``python -m tests.project.picture`` draws it.

It shows a text that a test of the judge pins (tests/conformance/snapshots), as a terminal does. No
font comes with it and none is fetched: every line has its length, whatever font is at hand.
"""

from __future__ import annotations

import html
import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[2]
SNAPSHOT = ROOT / "tests" / "conformance" / "snapshots" / "wrong_row_decoded.txt"
PICTURE = ROOT / "docs" / "failure.svg"
TITLE = "what a failure says: one row index of one token was read wrongly"
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px;
    line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
STYLES = {
    r"\A.*": "bold bright_red",
    r"(?m)^ +(contract|worst element|pattern|decoded):": "bold",
    r"0x[0-9a-f]+ \([^)]*\)": "yellow",
    r"(?m)^  decoded: .*": "bright_green",
}


def draw(text: str) -> str:
    """The text as a terminal that is as wide as its longest line, as SVG."""
    width = max(map(len, text.splitlines())) + 1
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    shown = Text(text.rstrip())
    for pattern, style in STYLES.items():
        shown.highlight_regex(pattern, style)
    console.print(shown, soft_wrap=True)
    return console.export_svg(
        title=TITLE, theme=MONOKAI, code_format=FORMAT, unique_id="failure", clear=False
    )


def lines_of(picture: str) -> list[str]:
    """The lines of text that a picture shows, from top to bottom."""
    lines: dict[float, list[tuple[float, str]]] = {}
    matrix = picture.split('-matrix">', 1)[1]
    for x, y, text in re.findall(
        r'<text[^>]*? x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', matrix
    ):
        shown = html.unescape(text).replace("\N{NO-BREAK SPACE}", " ")
        lines.setdefault(float(y), []).append((float(x), shown))
    return ["".join(text for _, text in sorted(line)).rstrip() for _, line in sorted(lines.items())]


if __name__ == "__main__":
    PICTURE.write_text(draw(SNAPSHOT.read_text(encoding="utf-8")), encoding="utf-8")
