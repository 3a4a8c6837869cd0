"""The README's picture shows what the judge says today."""

from __future__ import annotations

from tests.project.picture import PICTURE, SNAPSHOT, draw, lines_of


def test_the_picture_shows_the_pinned_text() -> None:
    shown = lines_of(PICTURE.read_text(encoding="utf-8"))
    assert shown == SNAPSHOT.read_text(encoding="utf-8").splitlines()


def test_a_picture_of_another_text_shows_that_text() -> None:
    assert lines_of(draw("first  line\n  second: <line> & more\n")) == [
        "first  line",
        "  second: <line> & more",
    ]


def test_the_picture_fetches_nothing() -> None:
    drawn = PICTURE.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    for way in ("http", "url(http", "@import", "@font-face", "href", "<script"):
        assert way not in drawn
