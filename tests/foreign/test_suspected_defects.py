"""What reading the public MoeTokenPermuteWithEp makes one suspect, confirmed or refuted by a case.

The table in docs/how-to/foreign-kernels.md says what each means; the lines are those of
ops-transformer, commit c29bc1069d. Arithmetic of bytes is that of a core whose tiling is told
196,352 of 196,608.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cases.operators import moe_token_permute_with_ep as record
from cases.operators._moe_token_permute_with_ep_call import NAME, call
from conformance.call.case import Case, Machine
from conformance.call.observation import Observation
from conformance.devices.device import Device
from conformance.devices.foreign import USABLE_UB_BYTES, checkout_libraries
from conformance.devices.open import open_device
from conformance.judge.calls import judge
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import Arithmetic
from conformance.values.fill import Fill

HOME = Path(os.environ.get("OPS_TRANSFORMER_HOME", ""))
pytestmark = pytest.mark.skipif(
    not (HOME / "moe" / NAME).is_dir() or not HOME.is_absolute(),
    reason="OPS_TRANSFORMER_HOME names no checkout of the public operators",
)
Judged = Callable[[Case], tuple[Observation, Verdict]]
MOST_COLUMNS = 24032
"""Of an fp32 row that is moved whole: twice its bytes fit in UB less 4,096."""


def wide(
    tokens: int,
    top_k: int,
    columns: int,
    *,
    dtype: str = "float32",
    probs: bool = True,
    cores: int = 2,
    ub_bytes: int = USABLE_UB_BYTES,
) -> Case:
    """A call that keeps all slots, whose tokens are ``columns`` wide; the last slot comes first."""
    slots = tokens * top_k
    return call(
        "full",
        dtype,
        tokens=(tokens, columns),
        top_k=top_k,
        indices=tuple(range(slots, 0, -1)),
        rank_range=(0, slots),
        fill=Fill(("address",), seed=4),
        probs=Fill(("lattice",), seed=2) if probs else None,
        machine=Machine(cores, ub_bytes),
    )


@pytest.fixture(scope="module")
def as_it_is() -> Iterator[Judged]:
    """Judges on the checkout's operator, unedited."""
    yield from _judged(HOME)


@pytest.fixture(scope="module")
def with_its_budget_mended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """Judges on a copy whose split rows fit: the tiling counts a buffer's elements as elements."""
    checkout = tmp_path_factory.mktemp("mended")
    shutil.copytree(HOME / "moe" / NAME, checkout / "moe" / NAME)
    shutil.copytree(HOME / "common", checkout / "common")
    tiling = checkout / "moe" / NAME / "op_host" / f"{NAME}_tiling.cpp"
    text = tiling.read_text()
    counted = "indicesUB = MAX_INDICES_NUM * INT32_DTYPE_SIZE;"
    assert text.count(counted) == 1, "another commit?"
    tiling.write_text(text.replace(counted, "indicesUB = MAX_INDICES_NUM;"))
    yield from _judged(checkout)


@pytest.fixture(scope="module")
def where_all_of_ub_is_usable() -> Iterator[Judged]:
    """Judges on the operator as it is, on a chip whose tilings are told all of its UB."""
    yield from _judged(HOME, "sim:Ascend910_9392")


def _judged(checkout: Path, device_name: str = "sim") -> Iterator[Judged]:
    built = checkout_libraries(checkout, [record.OPERATOR])
    device: Device = open_device(device_name, libraries=built.libraries)

    def judged(case: Case) -> tuple[Observation, Verdict]:
        observation = device.run(record.OPERATOR, case)
        arithmetic = Arithmetic.of(device.profile)
        return observation, judge(record.OPERATOR, case, observation, arithmetic)

    try:
        yield judged
    finally:
        device.close()


def places(observation: Observation, code: str) -> set[tuple[str, int]]:
    """Where the diagnostics of one code lie."""
    told = observation.diagnostics
    return {(Path(one.file).name, one.line) for one in told if one.code == code}


@pytest.mark.parametrize("probs", [True, False])
def test_the_buffers_of_split_rows_are_larger_than_ub(as_it_is: Judged, probs: bool) -> None:
    """Confirmed, and without probabilities too: the queue of indices alone lies past the end."""
    observation, verdict = as_it_is(wide(2, 2, MOST_COLUMNS + 1, probs=probs))
    assert not verdict.ok
    assert places(observation, "ub-capacity") == {("moe_index_copy_spilt_d.h", 287)}


@pytest.mark.parametrize(("tokens", "unwritten"), [(2, 0), (4, 2), (6, 4)])
def test_probabilities_of_split_rows_are_taken_from_the_tokens_number_on(
    with_its_budget_mended: Judged, tokens: int, unwritten: int
) -> None:
    """Confirmed, once the buffers fit: T tokens of a core write T + K - 1 of their T * K."""
    observation, verdict = with_its_budget_mended(wide(tokens, 2, MOST_COLUMNS + 1))
    assert observation.unwritten["permute_probs"] == unwritten
    assert observation.unwritten["permute_tokens"] == 0
    assert verdict.ok == (unwritten == 0)


def test_split_rows_are_right_without_probabilities_once_they_fit(
    with_its_budget_mended: Judged,
) -> None:
    assert with_its_budget_mended(wide(6, 2, MOST_COLUMNS + 1, probs=False))[1].ok


@pytest.mark.parametrize(
    ("top_k", "columns", "dtype", "fits"),
    [(256, 24000, "float32", True), (257, 24032, "float32", False), (512, 48000, "float16", False)],
)  # fmt: skip
def test_of_more_than_256_slots_beside_a_wide_row_no_token_fits(
    as_it_is: Judged, top_k: int, columns: int, dtype: str, fits: bool
) -> None:
    """Confirmed: tokens in a pass, loops and buffers are 0, and indices are copied into none."""
    observation, verdict = as_it_is(wide(2, top_k, columns, dtype=dtype))
    assert verdict.ok == fits
    assert places(observation, "ub-out-of-bounds") == (
        set() if fits else {("moe_index_copy.h", 147)}
    )


@pytest.mark.parametrize("probs", [True, False])
def test_32_bytes_for_a_probability_are_over_the_budget_and_inside_ub(
    as_it_is: Judged, probs: bool
) -> None:
    """Confirmed as a note, which is all that it is on this chip: nothing is wrong."""
    observation, verdict = as_it_is(wide(96, 8, 7168, dtype="bfloat16", probs=probs))
    assert verdict.ok
    assert places(observation, "ub-budget") == {("moe_index_copy.h", 289)}


def test_the_same_32_bytes_are_past_the_end_where_a_tiling_may_use_all(
    where_all_of_ub_is_usable: Judged,
) -> None:
    """Confirmed: nothing is left behind the buffers that rows have filled."""
    case = wide(96, 8, 7168, dtype="bfloat16", ub_bytes=196608)
    observation, verdict = where_all_of_ub_is_usable(case)
    assert not verdict.ok
    assert places(observation, "ub-capacity") == {("moe_index_copy.h", 289)}


@pytest.mark.parametrize(("tokens", "top_k", "cores"), [(8, 2, 8), (31, 1, 40), (2, 16, 40)])
def test_few_slots_sort_on_one_core_while_more_cores_copy(
    as_it_is: Judged, tokens: int, top_k: int, cores: int
) -> None:
    """Refuted: the launch has as many blocks as copy; the others wait for the one that sorts."""
    assert as_it_is(wide(tokens, top_k, 64, cores=cores))[1].ok
