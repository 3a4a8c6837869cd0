"""Compiled loops and the code in numpy give the same answers, bit for bit."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.call.case import numpy_dtype
from conformance.numerics import bulk, compiled, interval_look
from conformance.numerics.bulk import Bulk
from conformance.numerics.certificate import certified
from conformance.numerics.interval_look import IntervalLook, Settled
from conformance.numerics.order import emulate, sequential
from reference.floats import BF16, FP32, format_of, from_bits, round_once, to_bits
from tests.conformance.numerics.hard_data import HARD, columns, gaussian
from tests.conformance.numerics.looks import masks

needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="the extra numba is not installed: there are no such loops"
)
DTYPES = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
HALVES = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
FAMILIES = pytest.mark.parametrize("family", [*HARD, gaussian], ids=lambda family: family.__name__)
ORDERS = {"left": sequential, "bins": bin_tree, "any": None}


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch):
    monkeypatch.setattr(compiled, "LEAST_TERMS", 0)
    monkeypatch.setattr(bulk, "FEW_TERMS", 0)
    monkeypatch.delenv(compiled.VARIABLE, raising=False)


def drawn(family, dtype, slots, dropped, hidden=96, seed=6, tokens=30):
    """Source, rows, the sums from left to right of which some are wrong, and weights."""
    generator, fmt = np.random.default_rng(seed), format_of(dtype)
    source = to_bits(columns(generator, family, 64, hidden, fmt), fmt).view(numpy_dtype(dtype))
    rows = generator.integers(0, 64, (tokens, slots), dtype=np.int32)
    if dropped:
        rows[generator.random(rows.shape) < 0.2] = -1
    values = from_bits(source.view(fmt.storage_dtype), fmt)
    terms = np.where((rows >= 0).T[:, :, None], values[rows.T], 0.0)
    weights = np.where(rows >= 0, generator.standard_normal(rows.shape), 0.0).astype(np.float32)
    return source, rows, terms, weights


def observed_of(terms, dtype):
    """The sums from left to right, every ninth of them with another last bit."""
    fmt = format_of(dtype)
    total = emulate(sequential(len(terms)), round_once(terms, FP32).astype(np.float32))
    bits = to_bits(total.astype(np.float64), fmt)
    bits.reshape(-1)[::9] ^= 1
    return bits.view(numpy_dtype(dtype))


def by_loops(monkeypatch, *, closely):
    """Compiled loops from now on; how many looks there were comes back."""
    taken, kept = [], compiled.CompiledSums

    def made(source, limits):
        taken.append(source)
        return kept(source, limits, closely=closely)

    made.offered = kept.offered
    monkeypatch.delenv(compiled.VARIABLE, raising=False)
    monkeypatch.setattr(bulk, "CompiledSums", made)
    return taken


@needs_numba
@FAMILIES
@DTYPES
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dropped", [False, True], ids=["all slots", "some slots"])
@pytest.mark.parametrize(("slots", "block"), [(1, 96), (4, 1 << 16), (9, 500)])
def test_the_suspects_of_a_window_are_the_same(
    family, dtype, order, dropped, slots, block, monkeypatch
):
    if order == "any" and dtype == "float32":
        order = "left"
    monkeypatch.setattr(bulk, "BLOCK_ELEMENTS", block)
    source, rows, terms, weights = drawn(family, dtype, slots, dropped)
    merges = None if ORDERS[order] is None else ORDERS[order](slots)
    for given in (None, weights) if merges is not None else (None,):
        with np.errstate(all="ignore"):
            added = terms if given is None else terms * given.T[:, :, None].astype(np.float64)
        observed = observed_of(added, dtype)
        look = Bulk(source, rows, observed, merges, given)
        monkeypatch.setenv(compiled.VARIABLE, "0")
        expected = masks(look, observed.shape)
        taken = by_loops(monkeypatch, closely=False)
        assert (masks(look, observed.shape) == expected).all()
        assert bool(taken) == (given is None or dtype != "float16")
        assert expected.any()
        monkeypatch.undo()
        monkeypatch.setattr(compiled, "LEAST_TERMS", 0)
        monkeypatch.setattr(bulk, "FEW_TERMS", 0)
        monkeypatch.setattr(bulk, "BLOCK_ELEMENTS", block)


@needs_numba
@DTYPES
@pytest.mark.parametrize("order", ORDERS)
def test_rows_wider_than_a_block_of_columns_are_looked_at_in_parts(dtype, order, monkeypatch):
    source, rows, terms, _ = drawn(gaussian, dtype, 9, True, hidden=2 * 2048 + 404, tokens=7)
    observed = observed_of(terms, dtype)
    merges = None if ORDERS[order] is None else ORDERS[order](9)
    look = Bulk(source, rows, observed, merges)
    if dtype == "float32" and merges is None:
        look = IntervalLook(source, rows, observed, Settled())
    monkeypatch.setenv(compiled.VARIABLE, "0")
    expected = masks(look, observed.shape)
    by_loops(monkeypatch, closely=False)
    kept = IntervalLook._by_loops
    monkeypatch.setattr(
        IntervalLook, "_by_loops", lambda self, windows: kept(self, windows, closely=False)
    )
    assert (masks(look, observed.shape) == expected).all()
    assert not expected.all()


@needs_numba
@HALVES
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("order", ORDERS)
def test_infinities_and_nans_are_as_suspect_to_both(dtype, special, order, monkeypatch):
    source, rows, terms, _ = drawn(gaussian, dtype, 5, True)
    source[rows[7, 2], 3] = special
    source[rows[29, 0], :] = special
    observed = observed_of(terms, dtype)
    observed[:, 3] = special
    merges = None if ORDERS[order] is None else ORDERS[order](5)
    monkeypatch.setattr(bulk, "BLOCK_ELEMENTS", 300)
    look = Bulk(source, rows, observed, merges)
    monkeypatch.setenv(compiled.VARIABLE, "0")
    expected = masks(look, observed.shape)
    taken = by_loops(monkeypatch, closely=False)
    assert (masks(look, observed.shape) == expected).all()
    assert taken


@needs_numba
@HALVES
@FAMILIES
def test_looked_at_closely_a_sum_is_suspect_if_its_bits_or_its_certificate_fail(
    family, dtype, monkeypatch
):
    source, rows, terms, _ = drawn(family, dtype, 7, True)
    observed = observed_of(terms, dtype)
    right = to_bits(
        emulate(sequential(7), terms.astype(np.float32)).astype(np.float64), format_of(dtype)
    )
    same = right == observed.view(np.uint16)
    sure = certified(terms.reshape(7, -1), FP32).reshape(same.shape)
    taken = by_loops(monkeypatch, closely=True)
    assert (masks(Bulk(source, rows, observed, None), same.shape) == ~(same & sure)).all()
    assert taken


@needs_numba
@HALVES
def test_a_certificate_in_integers_is_the_one_by_definition(dtype):
    """Of terms as far apart as a certificate allows, subnormal, infinite and almost infinite."""
    from conformance.numerics.compiled_sums import _certified

    generator, fmt, of = np.random.default_rng(3), format_of(dtype), (4, 5000)
    digits = fmt.precision - 1
    top = fmt.infinity_bits >> digits
    least = generator.choice([0, 1, top // 4, top - 25, top - 1, top], of[1])
    exponents = np.minimum(least + generator.choice([0, 1, 15, 22, 23, 24, 25], of), top)
    fractions = generator.integers(0, 1 << digits, of) >> generator.integers(0, digits + 1, of)
    bits = (exponents << digits | fractions).astype(np.uint16)
    bits[generator.random(of) < 0.2] = 0
    slots = np.arange(of[0])
    found = [
        _certified(bits, slots, column, terms.max(), (terms - np.uint16(1)).min(), fmt == BF16)
        for column, terms in enumerate(bits.T)
    ]
    with np.errstate(invalid="ignore"):
        expected = certified(from_bits(bits, fmt), FP32)
    assert found == expected.tolist()
    assert 0.2 < expected.mean() < 0.8


def looked(source, rows, observed, asked):
    settled = Settled()
    left = masks(IntervalLook(source, rows, observed, settled, asked), observed.shape)
    return left, settled.several


@needs_numba
@FAMILIES
@pytest.mark.parametrize("dropped", [False, True], ids=["all slots", "some slots"])
@pytest.mark.parametrize("asked", [None, 0.5], ids=["all elements", "half"])
@pytest.mark.parametrize(("slots", "block"), [(6, 96), (9, 1 << 16), (17, 300)])
def test_the_same_elements_are_settled(family, dropped, asked, slots, block, monkeypatch):
    monkeypatch.setattr(interval_look, "BLOCK_ELEMENTS", block)
    source, rows, terms, _ = drawn(family, "float32", slots, dropped)
    observed = observed_of(terms, "float32")
    mask = None if asked is None else np.random.default_rng(1).random(observed.shape) < asked
    monkeypatch.setenv(compiled.VARIABLE, "0")
    expected, several = looked(source, rows, observed, mask)
    monkeypatch.delenv(compiled.VARIABLE)
    closely, more = looked(source, rows, observed, mask)
    kept = IntervalLook._by_loops
    monkeypatch.setattr(
        IntervalLook, "_by_loops", lambda self, windows: kept(self, windows, closely=False)
    )
    left, same = looked(source, rows, observed, mask)
    assert (left == expected).all()
    assert same == several
    # Closely, elements on the grid are settled as well: certified ones only if they are right.
    assert not (closely & ~expected).any()
    exact = certified(terms.reshape(slots, -1), FP32).reshape(observed.shape)
    with np.errstate(all="ignore"):
        right = terms.sum(axis=0) == observed
    assert (closely[exact] == ~right[exact]).all()
    assert more - several == np.count_nonzero(
        expected & ~closely & ~exact & (True if mask is None else mask)
    )


def test_without_numba_numpy_judges(monkeypatch):
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "from conformance.numerics import compiled\n"
        "print(compiled.name(), compiled.wanted(1 << 40))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["numpy", "False"], done.stderr


def test_the_variable_keeps_large_sums_to_numpy(monkeypatch):
    monkeypatch.setattr(compiled, "_version", lambda: "1.2")
    assert compiled.name() == "numba 1.2"
    assert compiled.wanted(1)
    monkeypatch.setenv(compiled.VARIABLE, "0")
    assert compiled.name() == "numpy"
    assert not compiled.wanted(1)


def test_small_outputs_are_judged_without_the_import_of_numba(monkeypatch):
    monkeypatch.setattr(compiled, "LEAST_TERMS", 100)
    monkeypatch.setattr(compiled, "_version", lambda: "1.2")
    assert [compiled.wanted(terms) for terms in (99, 100)] == [False, True]
