"""The pictures of the report are well-formed, show what is wrong, and escape what they are told."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import msgspec
import pytest
from rich.cells import cell_len

from conformance.failure.drawing import heat_map, histogram, legend
from conformance.record.picture import Picture
from conformance.text.report_words import texts

NAME = "{http://www.w3.org/2000/svg}"
WORDS = texts("en")
PICTURE = Picture(
    output="<b>y</b>",
    rows=5,
    columns=7,
    wrong=5,
    row_step=2,
    column_step=2,
    grid=[[0, 0, 0, 1], [0, 4, 0, 0], [0, 0, 0, 0]],
    unit="ulp",
    histogram={"accepted": 30, "1": 2, "2": 0, "4": 3},
    experts=[3],
    cores=[2, 4],
    tiles=[4],
)


def drawn(markup: object) -> ElementTree.Element:
    return ElementTree.fromstring(str(markup))


def paths(kind: str) -> list[str]:
    return [one.attrib["d"] for one in drawn(heat_map(PICTURE, WORDS)).iter(f"{NAME}path")
            if one.attrib["class"] == kind]  # fmt: skip


def test_each_block_with_wrong_elements_is_a_square_and_no_other() -> None:
    assert sum(path.count("M") for path in paths("square")) == 2


def test_boundaries_are_lines_at_their_rows_and_columns() -> None:
    assert [len(paths(kind)) for kind in ("experts", "cores", "tiles")] == [1, 2, 1]
    signs = [sign for sign, _ in legend(PICTURE, WORDS)]
    assert signs == ["wrong", "experts", "cores", "tiles"]


def test_the_name_of_an_output_is_escaped() -> None:
    assert "<b>y</b>" not in str(heat_map(PICTURE, WORDS))
    title = drawn(heat_map(PICTURE, WORDS)).find(f"{NAME}title")
    assert title is not None
    assert title.text == "<b>y</b>: 5 of 35 elements are wrong"


def test_the_histogram_has_a_bar_for_each_class_with_its_count() -> None:
    said = [one.text for one in drawn(histogram(PICTURE, WORDS)).iter(f"{NAME}text")]
    assert said[:4] == ["accepted", "30", "off by 1 ulp", "2"]
    assert said[-2:] == ["off by 3–4 ulp", "3"]


def test_many_classes_of_distances_are_taken_together() -> None:
    many = {"accepted": 1, **{str(2**power): 1 for power in range(31)}}
    bars = drawn(histogram(msgspec.structs.replace(PICTURE, histogram=many), WORDS)).findall(
        f"{NAME}rect"
    )
    assert len(bars) == 1 + 8


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_longest_label_of_a_bar_fits_beside_it(language: str) -> None:
    far = {"accepted": 1, **{str(2**power): 1 for power in range(33)}}
    picture = msgspec.structs.replace(PICTURE, histogram=far)
    for text in drawn(histogram(picture, texts(language))).iter(f"{NAME}text"):
        if text.get("text-anchor") == "end":
            # Digits of 12 px are 6.7 wide in most fonts.
            assert float(text.attrib["x"]) >= 6.7 * cell_len(text.text or "")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_text_of_a_picture_exists_in_both_languages(language: str) -> None:
    words = texts(language)
    assert len(str(heat_map(PICTURE, words))) > 100
    assert len(str(histogram(PICTURE, words))) > 100


def test_a_picture_of_nothing_is_empty() -> None:
    assert heat_map(msgspec.structs.replace(PICTURE, grid=[]), WORDS) == ""
