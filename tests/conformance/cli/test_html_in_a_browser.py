"""The report as a browser lays it out: nothing is wider than the screen, of a phone or a desk."""

from __future__ import annotations

import html as markup
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.catalogue.message import LANGUAGES
from conformance.cli import html
from tests.conformance.cli.test_html import failed_run
from tests.waiting import HANGS

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
WIDTHS = (360, 1280)
LONG = "moe_token_permute_with_a_routing_map_and_a_name_that_has_no_place_to_break" * 3

MEASURE = """<script>onload = () => {
const wide = frame => frame.contentDocument.documentElement.scrollWidth;
document.title = [...document.querySelectorAll("iframe")].map(wide).join(" ");
}</script>"""


@pytest.mark.skipif(BROWSER is None, reason="needs chromium or google-chrome on the PATH")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_never_wider_than_the_screen(language: str, tmp_path: Path) -> None:
    page = markup.escape(html.render(failed_run(LONG), language))
    frames = [f'<iframe style="border:0;width:{w}px" srcdoc="{page}"></iframe>' for w in WIDTHS]
    wrapper = tmp_path / "wrapper.html"
    wrapper.write_text(f'<meta charset="utf-8">{MEASURE}{"".join(frames)}', encoding="utf-8")
    assert BROWSER is not None
    command = [BROWSER, "--headless", "--no-sandbox", "--hide-scrollbars", "--dump-dom"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", wrapper.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
    measured = re.search(r"<title>([\d ]+)</title>", done.stdout)
    assert measured, done.stderr
    assert tuple(map(int, measured[1].split())) == WIDTHS
