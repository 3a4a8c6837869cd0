"""Pictures of wrong outputs: what is counted, and which lines of kernels stand beside it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.call.observation import Diagnostic, EarlierAccess, Observation, Outcome
from conformance.failure.bundle.accepted import Accepted
from conformance.failure.picture import FAR, distances, excerpts, picture
from conformance.record.picture import Landmarks, Picture

NO_MARKS = Landmarks()


def of(away: np.ndarray, cores: int = 0, marks: Landmarks = NO_MARKS) -> Picture:
    array = np.zeros(away.shape, np.float16)
    return picture("y", array, away.reshape(-1), marks, cores)


def test_every_wrong_element_is_in_one_square_of_the_grid() -> None:
    away = np.zeros((100, 130), np.int64)
    away[3, 7] = away[99, 129] = away[99, 128] = 1
    found = of(away)
    assert (found.row_step, found.column_step, found.wrong) == (3, 3, 3)
    grid = np.array(found.grid)
    assert grid.shape == (34, 44)
    assert (grid.sum(), grid[1, 2], grid[33, 42], grid[33, 43]) == (3, 1, 1, 1)


def test_a_small_output_has_a_square_for_each_element() -> None:
    away = np.arange(6).reshape(2, 3)
    assert of(away).grid == [[0, 1, 1], [1, 1, 1]]


def test_distances_are_counted_by_powers_of_two_from_the_nearest_on() -> None:
    away = np.array([[0, 0, -1, 3, 4, 5, 17, FAR]])
    assert of(away).histogram == {
        "open": 1, "accepted": 2, "4": 2, "8": 1, "16": 0, "32": 1, "NaN": 1,
    }  # fmt: skip


def test_what_was_never_written_is_a_class_of_its_own() -> None:
    array = np.zeros((2, 4), np.float16)
    left = np.array([[False], [True]]).repeat(4, axis=1)
    away = np.array([0, 1, 0, 0, FAR, FAR, FAR, FAR])
    told = picture("y", array, away, NO_MARKS, 0, unwritten=left).histogram
    assert told == {"accepted": 3, "never written": 4, "1": 1}


def test_boundaries_of_experts_cores_and_tiles_lie_inside() -> None:
    marks = Landmarks({"y": (0, 2, 5, 10)}, tile_columns=4)
    found = of(np.ones((10, 9), np.int64), cores=3, marks=marks)
    assert (found.experts, found.cores, found.tiles) == ([2, 5], [4, 8], [4, 8])


def test_an_output_of_three_axes_lies_expert_by_expert() -> None:
    array = np.zeros((3, 4, 2), np.float16)
    assert picture("y", array, np.ones(24, np.int64), NO_MARKS, 0).experts == [4, 8]


def test_more_cores_than_rows_have_no_boundaries() -> None:
    assert of(np.ones((4, 4), np.int64), cores=40).cores == []


def test_a_list_of_numbers_is_one_row() -> None:
    found = picture("ranks", np.zeros(70, np.int32), np.ones(70, np.int64), NO_MARKS, 2)
    assert (found.rows, found.columns, found.column_step, found.unit) == (1, 70, 2, "")


def ranges(*each: tuple[tuple[int, int], ...]) -> Accepted:
    starts = np.cumsum([0, *map(len, each)])
    low, high = np.array([pair for one in each for pair in one], np.int32).reshape(-1, 2).T
    return Accepted("ranges", {"starts": starts, "low": low, "high": high}, 16, 0x7C00)


def test_the_distance_to_several_ranges_is_that_to_the_nearest() -> None:
    ones = np.float16(1).view(np.int16)
    seen = np.array([1, 1, 1, -1, np.nan], np.float16)
    accepted = ranges(
        ((ones, ones),),
        ((ones - 3, ones - 2), (ones + 9, ones + 9)),
        ((-(2**31), 2**31 - 1),),
        ((-ones + 1, -ones + 1),),
        ((0, 1),),
    )
    found = distances(accepted, seen)
    assert found is not None
    assert found.tolist() == [0, 2, -1, 1, FAR]


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_a_moved_element_is_right_bit_for_bit(dtype: str) -> None:
    must = np.array([3, 4, 5, 6], dtype)
    seen = np.array([3, 5, 5, 4], dtype)
    found = distances(Accepted("exact", {"bits": must.view(f"u{must.itemsize}")}), seen)
    assert found is not None
    assert [bool(one) for one in found] == [False, True, False, True]
    if dtype != "float32":
        assert found.tolist() == [0, 1, 0, 2]


def test_zeros_of_another_sign_are_wrong_where_values_are_moved() -> None:
    must = np.array([-0.0, 0.0], np.float16)
    found = distances(Accepted("exact", {"bits": must.view("u2")}), np.zeros(2, np.float16))
    assert found is not None
    assert found.tolist() == [1, 0]


def test_nothing_is_said_of_what_no_contract_speaks_of() -> None:
    assert distances(Accepted("anything"), np.zeros(3)) is None
    some = Accepted("exact", {"bits": np.ones(3, "u1"), "specified": np.array([1, 0, 1])})
    assert distances(some, np.zeros(3, np.uint8)).tolist() == [1, -1, 1]  # type: ignore[union-attr]


@pytest.fixture
def built(tmp_path: Path) -> tuple[Path, Path]:
    """A kernel's source and the library that was compiled from it."""
    source = tmp_path / "kernels" / "op" / "op_kernel.cpp"
    source.parent.mkdir(parents=True)
    source.write_text("".join(f"line {number}\n" for number in range(1, 21)))
    library = tmp_path / "build" / "lib" / "libopapi.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"")
    (tmp_path / "build" / "kernels.txt").write_text(str(tmp_path / "kernels"))
    os.utime(source, (1, 1))
    return source, library


RACE = Diagnostic("race", "error", "two blocks meet", file="kernels/op/op_kernel.cpp", line=9)


def seen(*diagnostics: Diagnostic) -> Observation:
    return Observation(Outcome.FAILED, diagnostics=diagnostics)


def test_the_line_that_a_diagnostic_names_stands_among_its_neighbours(
    built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = excerpts(seen(RACE, RACE), built[1])
    assert found.path == str(built[0])
    monkeypatch.chdir(built[0].parents[1])
    (found,) = excerpts(seen(RACE, RACE), built[1])
    assert found.path == "op/op_kernel.cpp", "as it is written from here"
    assert (found.file, found.line, found.first) == ("op_kernel.cpp", 9, 6)
    assert found.lines == [f"line {number}" for number in range(6, 13)]


def test_the_earlier_access_is_shown_too(built: tuple[Path, Path]) -> None:
    other = EarlierAccess("DataCopy", RACE.file, 2, 0, "MTE2")
    assert [one.line for one in excerpts(seen(replace(RACE, earlier=other)), built[1])] == [9, 2]


def test_of_several_folders_with_such_a_file_that_with_the_operators_kernel_is_read(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    shared = replace(RACE, file="kernels/shared/sort.h", line=1)
    for folder, operator in (("kernels", "op"), ("other", "another")):
        file = tmp_path / folder / "shared" / "sort.h"
        (tmp_path / folder / operator).mkdir(parents=True, exist_ok=True)
        file.parent.mkdir(parents=True)
        file.write_text(f"of {operator}\n")
        os.utime(file, (1, 1))
    listed = "\n".join(str(tmp_path / folder) for folder in ("kernels", "other"))
    (tmp_path / "build" / "kernels.txt").write_text(listed)
    for operator in ("op", "another"):
        (found,) = excerpts(seen(shared), built[1], operator)
        assert found.lines == [f"of {operator}"]


def test_a_source_that_changed_since_it_was_compiled_is_not_shown(
    built: tuple[Path, Path],
) -> None:
    source, library = built
    os.utime(library, (1, 1))
    source.touch()
    assert list(excerpts(seen(RACE), library)) == []


def test_a_source_that_cannot_be_read_is_not_shown(built: tuple[Path, Path]) -> None:
    built[0].unlink()
    assert list(excerpts(seen(RACE), built[1])) == []
    assert list(excerpts(seen(RACE), None)) == []
