"""A summed output: what its contract makes of it, what the quick look leaves, what it was to be."""

from itertools import chain

import numpy as np
import pytest

from conformance.call.case import numpy_dtype
from conformance.numerics import bulk, output
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.order import sequential
from conformance.numerics.output import same_value, summed_output
from conformance.record.contract import Sum
from reference.floats import FP16, FP32, to_bits
from reference.terms import Terms
from tests.conformance.numerics.hard_data import Call
from tests.conformance.segment_sum import SUM

SATURATING = Arithmetic(overflows=frozenset({"saturate"}))
UNKNOWN = Arithmetic(
    frozenset({"nearest", "truncate"}),
    frozenset({"infinity", "saturate"}),
    frozenset({False, True}),
)


def made(x, rows, y, arithmetic=IEEE, coefficients=None, cast=None, **contract):
    """An output `y` that adds the rows of `x`."""
    terms = Terms(np.array(rows, np.int32), "x", coefficients=coefficients, cast=cast)
    stated = Sum(SUM, lambda inputs, attributes: terms, **contract)
    return summed_output("y", stated, Call(x, "float32", y.shape), y, arithmetic)


def left(found):
    """The places that the quick look leaves, batch by batch."""
    return [operands.places.tolist() for operands in found.undecided()]


ROWS = [[0, 2], [1, -1], [2, 2]]
WEIGHTS = np.full((3, 2), 0.5, np.float16)


@pytest.mark.parametrize(
    ("dtype", "fields", "quick"),
    [
        ("float16", {}, True),
        ("bfloat16", {}, True),
        ("float32", {}, False),
        ("float16", {"coefficients": WEIGHTS}, False),
        ("float16", {"arithmetic": UNKNOWN}, False),
        ("float16", {"accumulate": "float16"}, False),
        ("float16", {"cast": "float16"}, True),
        ("bfloat16", {"cast": "float16"}, False),
        ("float16", {"merges": sequential}, True),
        ("float32", {"merges": sequential}, True),
        ("float32", {"merges": sequential, "arithmetic": UNKNOWN}, True),
        ("float32", {"merges": sequential, "arithmetic": SATURATING}, False),
        ("float32", {"merges": sequential, "cast": "float32"}, True),
        ("float32", {"merges": sequential, "cast": "float16"}, False),
        ("float32", {"merges": sequential, "coefficients": WEIGHTS}, True),
        ("float32", {"merges": sequential, "coefficients": WEIGHTS, "fused": "never"}, True),
        ("float32", {"merges": sequential, "coefficients": WEIGHTS, "fused": "always"}, False),
        ("float32", {"merges": sequential, "coefficients": WEIGHTS, "cast": "float32"}, False),
        ("float16", {"merges": sequential, "accumulate": "float16"}, False),
        ("float32", {"merges": sequential, "fused": "always"}, True),
    ],
)
def test_a_right_output_is_decided_at_a_glance_where_contract_and_device_admit_it(
    dtype, fields, quick
):
    x = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [-2, 0, 2, 6]], np.float32)
    y = np.stack([x[0] + x[2], x[1], 2 * x[2]]) * (0.5 if "coefficients" in fields else 1.0)
    x, y = x.astype(numpy_dtype(dtype)), y.astype(numpy_dtype(dtype))
    assert left(made(x, ROWS, y, **fields)) == ([] if quick else [list(range(12))])
    y[1, 2] += 1
    assert left(made(x, ROWS, y, **fields)) == ([[6]] if quick else [list(range(12))])


def test_an_output_of_another_dtype_than_its_source_is_looked_at_closely():
    x = np.ones((2, 3), np.float32)
    y = np.full((1, 3), 2.0, np.float16)
    assert left(made(x, [[0, 1]], y, merges=sequential)) == [[0, 1, 2]]


@pytest.mark.parametrize("merges", [None, sequential])
@pytest.mark.parametrize(
    ("rows", "x", "y"),
    [
        (np.zeros((0, 2)), (3, 4), (0, 4)),
        (np.zeros((2, 2)), (3, 0), (2, 0)),
        (np.zeros((2, 0)), (3, 4), (2, 4)),
        (np.full((2, 2), -1), (0, 4), (2, 4)),
    ],
)
def test_empty_axes_leave_each_element_there_is_once(rows, x, y, merges):
    found = made(np.zeros(x, np.float16), rows, np.zeros(y, np.float16), merges=merges)
    assert sorted(chain.from_iterable(left(found))) == list(range(int(np.prod(y))))


def test_what_is_left_comes_in_batches_in_the_order_of_the_output(monkeypatch):
    monkeypatch.setattr(output, "BATCH", 5)
    monkeypatch.setattr(bulk, "BLOCK_ELEMENTS", 60000)
    x = np.ones((1, 30000), np.float32)  # two rows of the output at a glance
    y = np.ones((9, 30000), np.float32)
    wrong = [7, 29999, 30000, 60001, 60002, 90000, 200000, 269999]
    y.reshape(-1)[wrong] = 2
    batches = left(made(x, np.zeros((9, 1)), y, merges=sequential))
    assert [*chain.from_iterable(batches)] == wrong
    assert max(map(len, batches)) == 5


def test_no_more_than_a_batch_waits_for_the_rest_of_the_output(monkeypatch):
    walked = []
    suspects = output.Bulk.suspects

    def counting(quick):
        for window in suspects(quick):
            walked.append(window)
            yield window

    monkeypatch.setattr(output, "BATCH", 5)
    monkeypatch.setattr(bulk, "BLOCK_ELEMENTS", 40000)
    monkeypatch.setattr(output.Bulk, "suspects", counting)
    x, y = np.ones((1, 40000), np.float32), np.ones((5, 40000), np.float32)
    for row, wrong in enumerate((4, 1, 4, 1, 9)):
        y[row, 100 : 100 + wrong] = 2
    found = made(x, np.zeros((5, 1)), y, merges=sequential)
    came = [(len(walked), operands.places.size) for operands in found.undecided()]
    assert came == [(2, 5), (4, 5), (5, 5), (5, 4)]


@pytest.mark.parametrize("hidden", [100001, 30001])
def test_windows_hold_the_operands_of_their_elements(hidden):
    draw = np.random.default_rng(4)
    x = draw.standard_normal((3, hidden)).astype(np.float32)
    weights = draw.standard_normal((5, 3)).astype(np.float32)
    rows = [[0, 1, -1], [2, 2, 0], [-1, -1, -1], [1, 0, 2], [-1, 0, -1]]
    found = made(x, rows, np.zeros((5, hidden), np.float32), coefficients=weights)
    seen = []
    for operands in found.undecided():
        some = operands.places[:: 997 if operands.places.size > 997 else 1]
        alone = found.at(some)
        inside = np.searchsorted(np.sort(operands.places), some)
        inside = np.argsort(operands.places, kind="stable")[inside]
        assert np.array_equal(operands.values[:, inside], alone.values)
        assert np.array_equal(operands.factors[:, inside], alone.factors)
        assert operands.values.dtype == np.float64
        seen.append(operands.places)
    assert len(seen) > 1
    assert np.array_equal(np.sort(np.concatenate(seen)), np.arange(5 * hidden))


def test_single_elements_have_the_terms_and_factors_of_their_row_and_column():
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float16)
    weights = np.array([[0.5, 2.0], [4.0, np.nan]], np.float32)
    found = made(x, [[0, 1], [1, -1]], np.zeros((2, 2), np.float16), coefficients=weights)
    operands = found.at(np.array([3, 0, 1]))
    assert operands.values.tolist() == [[4.0, 1.0, 2.0], [0.0, 3.0, 4.0]]
    assert operands.factors.tolist() == [[4.0, 0.5, 0.5], [0.0, 2.0, 2.0]]
    plain = made(x, [[0, 1], [1, -1]], np.zeros((2, 2), np.float16))
    assert plain.at(np.array([0])).factors is None


def test_the_contract_is_read_as_formats():
    x, y = np.ones((2, 2), np.float16), np.ones((1, 2), np.float32)
    weights = np.ones((1, 2), np.float32)
    rule = made(x, [[0, 1]], y, coefficients=weights, fused="never").rule
    assert (rule.accumulate, rule.storage, rule.source) == (FP32, FP32, FP16)
    assert (rule.coefficient, rule.cast, rule.fused) == (FP32, None, "never")
    plain = made(
        x, [[0, 1]], np.ones((1, 2), np.float16), accumulate="float16", cast="float16"
    ).rule
    assert (plain.accumulate, plain.storage, plain.coefficient) == (FP16, FP16, None)
    assert plain.cast == FP16


@pytest.mark.parametrize(
    ("fused", "values"), [("never", [0.0]), ("always", [2.0**-24]), ("either", [2.0**-24, 0.0])]
)
def test_the_declared_order_gives_one_value_for_each_way_of_adding_products(fused, values):
    # (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which a rounded product has lost
    x = np.array([[-1 - 2.0**-11], [1 + 2.0**-12]], np.float32)
    weights = np.array([[1.0, 1 + 2.0**-12]], np.float32)
    y = np.zeros((1, 1), np.float32)
    fields = {"coefficients": weights, "merges": sequential, "fused": fused}
    found = made(x, [[0, 1]], y, **fields)
    given = [bits.view(np.float32).item() for bits in found.declared(found.at(np.array([0])))]
    assert sorted(given) == sorted(values)
    assert found.as_declared(found.at(np.array([0]))).tolist() == [0.0 in values]


def test_the_declared_order_gives_one_value_for_each_behaviour_of_the_device():
    x, y = np.array([[65504.0], [65504.0]], np.float16), np.array([[65504.0]], np.float16)
    either = Arithmetic(overflows=frozenset({"infinity", "saturate"}))
    for arithmetic, values in ((IEEE, {np.inf}), (SATURATING, {65504.0})):
        found = made(x, [[0, 1]], y, arithmetic, merges=sequential)
        (given,) = found.declared(found.at(np.array([0])))
        assert {given.view(np.float16).item()} == values
        assert found.as_declared(found.at(np.array([0]))).item() is (65504.0 in values)
    found = made(x, [[0, 1]], y, either, merges=sequential)
    given = [bits.view(np.float16).item() for bits in found.declared(found.at(np.array([0])))]
    assert sorted(given) == [65504.0, np.inf]
    assert found.as_declared(found.at(np.array([0]))).item()


def test_without_a_declared_order_nothing_is_as_declared():
    found = made(np.ones((2, 2), np.float32), [[0, 1]], np.full((1, 2), 2.0, np.float32))
    assert found.merges is None
    assert found.as_declared(found.at(np.array([0, 1]))).tolist() == [False, False]


def test_an_order_that_is_no_tree_is_refused():
    y = np.zeros((1, 2), np.float32)
    found = made(np.ones((2, 2), np.float32), [[0, 1]], y, merges=lambda slots: ())
    with pytest.raises(ValueError, match="slot 1 is never added"):
        _ = found.merges


def test_axes_before_the_last_are_rows_of_source_and_output():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    y = np.stack([x[1, 2] + x[0, 0], x[1, 0]]).reshape(1, 2, 4)
    found = made(x, [[5, 0], [3, -1]], y, merges=sequential)
    assert (found.shape, found.bits.shape, found.source.shape) == ((1, 2, 4), (2, 4), (6, 4))
    assert left(found) == []


def test_an_output_without_axes_is_one_element():
    x = np.array([[2.0], [3.0]], np.float32)
    assert left(made(x, [[0, 1]], np.array(5.0, np.float32), merges=sequential)) == []


@pytest.mark.parametrize("shape", [(2, 4), (0, 4), (1, 3), (1, 5), ()])
def test_terms_that_do_not_make_the_output_are_refused(shape):
    with pytest.raises(ValueError, match="do not make an output of shape"):
        made(np.ones((3, 4), np.float32), [[0, 1]], np.zeros(shape, np.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_row_beyond_the_source_is_refused_before_anything_is_looked_at(dtype):
    with pytest.raises(ValueError, match=r"must lie in \[-1, 3\)"):
        made(np.ones((3, 4), dtype), [[0, 3]], np.full((1, 4), 2, dtype))


def test_results_are_the_same_by_value_and_all_nans_are_one():
    values = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, np.nan])
    bits = to_bits(values, FP16)
    bits[-1] ^= 0x8001
    same = same_value(bits[:, None], bits[None, :], FP16)
    expected = (values[:, None] == values) | (np.isnan(values)[:, None] & np.isnan(values))
    assert np.array_equal(same, expected)
