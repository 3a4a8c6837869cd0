"""The README's picture of a failure: ``python -m tests.project.picture`` draws it.

It shows what a run says of a compiled kernel with a seeded mistake, as a terminal does. A test pins
the text (tests/kernels/test_text_of_a_mistake.py). No font comes with it and none is fetched: every
line has its length, whatever font is at hand.
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
SNAPSHOT = ROOT / "tests" / "conformance" / "snapshots" / "dropped_slot_read_as_row_0.txt"
PICTURE = ROOT / "docs" / "failure.svg"
WIDTH = 113
"""Columns of the terminal: a README shows so many in letters that can be read."""
TITLE = "what a failure says: a kernel reads a dropped slot as row 0"
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px;
    line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif; }}
{styles}
</style>
<defs>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
STYLES = {
    r"\A.*": "bold bright_red",
    r"(?m)^ +(contract|worst element|pattern|guess|replay):": "bold",
    r"0x[0-9a-f]+ \([^)]*\)": "yellow",
    r"(?m)^  guess: .*": "bright_green",
    r"(?m)(?<=^  replay:).*": "bright_cyan",
}


def folded(text: str) -> list[str]:
    """The lines of a text as a terminal shows them: one that is too long goes on below."""
    parts = (
        line[at : at + WIDTH] for line in text.splitlines() for at in range(0, len(line), WIDTH)
    )
    return [part.rstrip() for part in parts]


def draw(text: str) -> str:
    """The text in a terminal, as SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    shown = Text("\n".join(folded(text)))
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
