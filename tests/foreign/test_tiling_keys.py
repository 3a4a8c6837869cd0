"""The tiling keys that a kernel of a checkout asks for are read from its own sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from device_kernels.foreign.tiling_keys import tiling_keys


def operator(folder: Path, kernel: str, header: str = "", name: str = "keys.h") -> Path:
    """An operator's folder with a kernel and one header."""
    place = folder / "twice" / "op_kernel"
    place.mkdir(parents=True)
    (place / "twice.cpp").write_text(kernel)
    (place / name).write_text(header)
    return folder / "twice"


def test_numbers_are_told_once_and_in_order(tmp_path: Path) -> None:
    kernel = "if (TILING_KEY_IS(20)) {} else if (TILING_KEY_IS( 0x10 )) {} if (TILING_KEY_IS(20UL))"
    assert tiling_keys(operator(tmp_path, kernel)) == (16, 20)


@pytest.mark.parametrize(
    "header",
    [
        "#define WHOLE 7\n#define PARTS (WHOLE)",
        "constexpr uint64_t WHOLE = 7UL;\n#define PARTS WHOLE",
        "static const int32_t WHOLE = 7;\nconstexpr auto PARTS = WHOLE;",
    ],
)
def test_a_name_is_that_of_a_macro_or_a_constant_of_the_kernels_sources(
    tmp_path: Path, header: str
) -> None:
    kernel = "if (TILING_KEY_IS(PARTS)) {} else if (TILING_KEY_IS(9)) {}"
    assert tiling_keys(operator(tmp_path, kernel, header)) == (7, 9)


@pytest.mark.parametrize(
    ("kernel", "header", "name"),
    [
        ("TILING_KEY_IS(1) TILING_KEY_IS(ELSEWHERE)", "", "keys.h"),
        ("TILING_KEY_IS(LOOP)", "#define LOOP LOOP", "keys.h"),
        ("TILING_KEY_IS(WHOLE)", "#define WHOLE 7", "keys_arch35.h"),
        ("// TILING_KEY_IS(1)\n/* TILING_KEY_IS(2) */", "", "keys.h"),
    ],
)
def test_none_is_told_where_one_cannot_be(
    tmp_path: Path, kernel: str, header: str, name: str
) -> None:
    assert tiling_keys(operator(tmp_path, kernel, header, name)) == ()
