"""All standards side by side."""

import ml_dtypes
import numpy as np
import pytest

from conformance.standards import STANDARDS, Kind, Ruling, all_verdicts
from conformance.standards.table import disagreement, table

HALF = np.linspace(1.0, 2.0, 64).astype(np.float16)
EXACT = HALF.astype(np.float64)


def test_every_standard_has_a_row_with_its_version_section_and_data():
    rows = table(STANDARDS, all_verdicts(HALF, EXACT, HALF))
    assert [row.name for row in rows] == list(STANDARDS)
    assert all(row.version and row.section.startswith("S.") and row.sentence for row in rows)
    by_name = {row.name: row for row in rows}
    assert by_name["ecosystem-v1"].data == "formula only"
    assert by_name["ecosystem-v2"].data.startswith("half the cases uniform")


def test_an_exact_output_is_accepted_by_every_standard_that_speaks():
    found = all_verdicts(HALF, EXACT, HALF)
    said = {name for name, verdict in found.items() if verdict.ruling is not Ruling.SILENT}
    assert {name for name, verdict in found.items() if verdict.ok} == said
    assert not disagreement(found)
    assert str(disagreement(found)) == "the standards agree"


def test_a_disagreement_names_who_accepts_and_who_rejects():
    device = HALF.copy()
    device[0] += np.float16(2.0**-8)
    found = disagreement(all_verdicts(device, EXACT, HALF))
    assert found
    assert "ecosystem-v1" in found.accept
    assert "torch-testing" in found.reject
    assert str(found).startswith("the standards disagree: ecosystem-v1, ")
    assert "compare-data reject; msprobe-first-pass ask for a person" in str(found)


def test_standards_for_movement_say_nothing_of_sums():
    found = all_verdicts(HALF, EXACT, HALF)
    for name in ("commercial-move", "ttk-binary", "msprobe-binary"):
        assert found[name].ruling is Ruling.SILENT
    moved = all_verdicts(HALF, HALF, HALF, kind=Kind.MOVED)
    assert moved["commercial-move"].ok
    assert moved["ecosystem-v2"].ruling is Ruling.SILENT


def test_without_a_benchmark_standards_that_need_one_say_nothing():
    found = all_verdicts(HALF, EXACT)
    silent = {name for name, standard in STANDARDS.items() if standard.needs_benchmark}
    assert all(found[name].ruling is Ruling.SILENT for name in silent)
    assert "commercial-l1" in silent
    assert "ttk-cross-check-l1" in silent


def test_an_empty_output_is_accepted():
    empty = np.zeros(0, np.float16)
    found = all_verdicts(empty, np.zeros(0), empty)
    assert {verdict.ruling for verdict in found.values()} == {Ruling.ACCEPTS, Ruling.SILENT}


@pytest.mark.parametrize(
    ("dtype", "always", "sometimes"),
    [
        (np.float16, set(), set()),
        (ml_dtypes.bfloat16, {"ttk-close", "compare-data", "npu-kernel-bench"}, set()),
        (
            np.float32,
            {"numpy-testing", "msprobe-threshold"},
            {"ttk-close", "compare-data", "ecosystem-v1", "commercial-l2"},
        ),
    ],
)
def test_a_correct_sum_in_another_order_is_rejected_by_some(dtype, always, sometimes):
    """16,384 sums of 8 normal values, added in fp32 from either end, rounded once."""
    rejections: dict[str, int] = {}
    draws = 12 if sometimes else 4
    for seed in range(draws):
        terms = np.random.default_rng(seed).standard_normal((8, 16384)).astype(dtype)
        wide = terms.astype(np.float32)
        device, benchmark = wide[7], wide[0]
        for slot in range(1, 8):
            device, benchmark = device + wide[7 - slot], benchmark + wide[slot]
        golden = terms.astype(np.float64).sum(axis=0)
        found = all_verdicts(device.astype(dtype), golden, benchmark.astype(dtype))
        for name in disagreement(found).reject:
            rejections[name] = rejections.get(name, 0) + 1
    assert {name for name, count in rejections.items() if count == draws} == always
    assert sometimes <= set(rejections)


@pytest.mark.parametrize("shape", [(64,), (8, 8), (4, 4, 4)])
def test_shapes_do_not_matter(shape):
    flat = all_verdicts(HALF, EXACT, HALF)
    assert all_verdicts(HALF.reshape(shape), EXACT.reshape(shape), HALF.reshape(shape)) == flat


def test_arrays_that_do_not_fit_are_refused_by_name():
    with pytest.raises(ValueError, match=r"golden: shape \(3,\) must be the output's, \(64,\)"):
        all_verdicts(HALF, np.ones(3))
    with pytest.raises(ValueError, match="golden: dtype float32 must be float64"):
        all_verdicts(HALF, EXACT.astype(np.float32))
    with pytest.raises(ValueError, match="golden: dtype float64 must be an integer dtype"):
        all_verdicts(np.zeros(64, np.int32), EXACT)
    with pytest.raises(ValueError, match="benchmark: dtype float32 must be the output's, float16"):
        all_verdicts(HALF, EXACT, HALF.astype(np.float32))


def test_every_float_format_is_judged_by_some_standard_and_integers_too():
    spoken = {dtype for standard in STANDARDS.values() for dtype in standard.dtypes}
    assert {"float16", "bfloat16", "float32", "hifloat32", "int32", "int64", "int8"} <= spoken
