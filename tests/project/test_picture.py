"""The README's picture shows what a run says today of a kernel with a mistake."""

from __future__ import annotations

from tests.project.picture import PICTURE, SNAPSHOT, WIDTH, draw, folded, lines_of


def test_the_picture_shows_the_pinned_text() -> None:
    shown = lines_of(PICTURE.read_text(encoding="utf-8"))
    assert shown == folded(SNAPSHOT.read_text(encoding="utf-8"))


def test_a_picture_of_another_text_shows_that_text() -> None:
    assert lines_of(draw("first  line\n  second: <line> & more\n")) == [
        "first  line",
        "  second: <line> & more",
    ]


def test_a_line_that_is_wider_than_the_terminal_goes_on_below() -> None:
    assert lines_of(draw("a" * WIDTH + "b\nc\n")) == ["a" * WIDTH, "b", "c"]


def test_the_picture_fetches_nothing() -> None:
    drawn = PICTURE.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    for way in ("http", "url(http", "@import", "@font-face", "href", "<script"):
        assert way not in drawn
