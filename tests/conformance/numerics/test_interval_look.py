"""The quick look at sums in any order: what it settles is what every element's judge would say."""

import numpy as np
import pytest

from conformance.judge.sums import _tally
from conformance.numerics import interval_look, output
from conformance.numerics.elements import judge_elements, unused
from conformance.numerics.every_order import MOST_TERMS
from conformance.numerics.interval_look import IntervalLook, Settled, sure
from conformance.numerics.order import emulate, sequential
from conformance.numerics.output import summed_output
from conformance.record.contract import Sum
from reference.floats import FP32, from_bits, to_bits
from reference.terms import Terms
from tests.conformance.numerics.exhaustive import grid, multisets, toy
from tests.conformance.numerics.hard_data import CLAUSE, HARD, Call, columns, gaussian, orders
from tests.conformance.numerics.looks import masks

TOYS = [(toy(2, -1, 3), 6), (toy(3, 0, 3), 6), (toy(4, 0, 3), 6)]
MOST = 2000
FAMILIES = pytest.mark.parametrize("family", [*HARD, gaussian], ids=lambda family: family.__name__)


def figures(values):
    """What the look adds up, one slot after the other."""
    total, magnitude = np.zeros((2, values.shape[1]))
    with np.errstate(all="ignore"):
        for term in values:
            total, magnitude = total + term, magnitude + np.abs(term)
    return total, magnitude, np.count_nonzero(values, axis=0).astype(np.float64)


def assert_sound(values, bits, fmt):
    """Every element that is sure is what `judge_elements` finds; returns how many are."""
    legal = np.flatnonzero(sure(*figures(values), from_bits(bits, fmt), fmt).legal)
    values, bits = values[:, legal], bits[legal]
    found = sure(*figures(values), from_bits(bits, fmt), fmt)
    judged = judge_elements(values, bits, fmt, fmt)
    assert judged.ok.all()
    assert not judged.exact.any()
    assert not judged.few.any()
    used = 1.0 - unused(judged.sums, judged.accepted, np.arange(legal.size), bits, fmt)
    assert ((found.away - found.slack) / found.widest <= used).all()
    assert (used <= (found.away + found.slack) / found.narrowest).all()
    return legal.size


@pytest.mark.parametrize(("fmt", "terms"), TOYS, ids=str)
def test_in_whole_toy_formats_what_is_sure_is_what_the_judge_of_elements_finds(fmt, terms):
    smallest = np.argsort(np.abs(grid(fmt)), kind="stable")[:23]  # larger ones may overflow
    values = multisets(grid(fmt)[smallest], terms)
    total, magnitude, count = figures(values)
    some = np.flatnonzero(sure(total, magnitude, count, total, fmt).legal)
    values = values[:, np.random.default_rng(1).permutation(some)[:MOST]]
    settled = 0
    for pattern in range(2 * fmt.sign_bit):
        bits = np.full(values.shape[1], pattern, fmt.storage_dtype)
        settled += assert_sound(values, bits, fmt)
    assert settled > 400


@FAMILIES
@pytest.mark.parametrize("slots", [5, 6, 8, 17, 64])
def test_hard_columns_are_settled_as_the_judge_of_elements_finds_them(family, slots):
    generator = np.random.default_rng(slots)
    values = columns(generator, family, slots, 500, FP32)
    settled = 0
    for merges in orders(generator, slots):
        right = to_bits(emulate(merges, values.astype(np.float32)).astype(np.float64), FP32)
        for bits in (right, right ^ 1, right ^ 4, right ^ (1 << 31), right + np.uint32(2 * slots)):
            settled += assert_sound(values, bits.astype(np.uint32), FP32)
    if slots <= MOST_TERMS:
        assert settled == 0
    elif family is gaussian:
        assert settled > 2000


def drawn(family, slots, dropped, seed=5):
    """Source, rows, and the sums from left to right."""
    generator = np.random.default_rng(seed)
    hidden, tokens = 96, 40
    source = columns(generator, family, 64, hidden, FP32).astype(np.float32)
    rows = generator.integers(0, 64, (tokens, slots))
    if dropped:
        rows[generator.random(rows.shape) < 0.2] = -1
    terms = np.where((rows >= 0).T[:, :, None], source[rows.T], np.float32(0))
    return source, rows, emulate(sequential(slots), terms.copy())


def told(source, rows, observed, asked=None):
    """What is known of an output in the end, and the looks that were taken."""
    contract = Sum(CLAUSE, lambda inputs, attributes: Terms(rows, "x"))
    call, looked, kept = Call(source, "float32", observed.shape), [], IntervalLook.suspects
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IntervalLook, "suspects", lambda self: looked.append(self) or kept(self))
        found = _tally(summed_output("y", contract, call, observed), False, asked)
    summary = (found.exact, found.elements, found.steps, min(found.headroom, default=None))
    worst = found.worst, found.farthest
    return (*summary, worst, np.flatnonzero(found.wrong).tolist()), looked


@FAMILIES
@pytest.mark.parametrize("dropped", [False, True], ids=["all slots", "some slots"])
@pytest.mark.parametrize("asked", [1.0, 0.5], ids=["all elements", "half"])
@pytest.mark.parametrize("block", [96, 1 << 16])
def test_a_verdict_is_the_same_with_the_look_and_without(
    family, dropped, asked, block, monkeypatch
):
    monkeypatch.setattr(output, "BLOCK_BYTES", 0)
    monkeypatch.setattr(interval_look, "BLOCK_ELEMENTS", block)
    source, rows, observed = drawn(family, 9, dropped)
    mask = np.random.default_rng(1).random(observed.shape) < asked
    observed[~mask] = 1e30
    observed.view(np.uint32).reshape(-1)[::500] ^= 1 << 20
    quick, looked = told(source, rows, observed, mask)
    assert len(looked) == 1
    monkeypatch.setattr(output.SummedOutput, "_interval_look", lambda *given: None)
    slow, none = told(source, rows, observed, mask)
    assert not none
    assert quick == slow
    if family is gaussian:
        assert looked[0].settled.several > mask.sum() // 2
        assert quick[-1]


def test_elements_of_which_the_contract_is_silent_count_for_nothing():
    source, rows, observed = drawn(gaussian, 8, False)
    asked = np.random.default_rng(1).random(observed.shape) < 0.5
    wild = observed.copy()
    wild[~asked] *= np.float32(1 + 2.0**-22)  # a larger share of the error than any that counts
    both = []
    for given, mask in ((wild, asked), (observed, asked), (observed, None)):
        settled = Settled()
        look = IntervalLook(source, rows, given, settled, mask)
        left = masks(look, observed.shape)
        both.append((settled.several, left[asked]))
    assert both[0][0] == both[1][0] > asked.sum() // 2
    assert (both[0][1] == both[1][1]).all()
    assert both[2][0] > both[1][0]
