"""A summed operator to be computed wrongly: sources, routing, and every legal result.

The operator is MoeInitRoutingV2Grad with five slots a token: few enough that all 105 orders of
addition can be tried, so that what a contract allows is known without the judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from cases.operators.moe_init_routing_v2_grad import OPERATOR, bin_tree, call
from conformance.call.case import Case
from conformance.numerics.order import emulate
from conformance.numerics.output import same_value
from conformance.values.fill import NAMES, Fill, expand
from reference.floats import FP32, bits_of, format_of, numpy_dtype, round_once, to_bits, widen
from tests.conformance.numerics.exhaustive import trees

SLOTS, TOKENS, HIDDEN = 5, 48, 140
EXPERTS, CAPACITY = 4, 64
DTYPES = ("float16", "bfloat16", "float32")
SCALES = {
    "float16": (2.0**-6, 1.0, 2.0**5),
    "bfloat16": (2.0**-20, 1.0, 2.0**20),
    "float32": (2.0**-20, 1.0, 2.0**20),
}
"""Data scales: fp16 has no room for more."""

UNSCALED = ("special",)
"""Families whose values mean something by themselves."""

SPECIAL_SHARE = 0.01

CONTRACT = OPERATOR.contracts["grad_x"]


@dataclass(frozen=True)
class Problem:
    """``x`` [source_rows, hidden] in storage, ``rows`` [tokens, slots], -1 where nothing is added.

    ``mode`` is dropless or drop_pad.
    """

    dtype: str
    mode: str
    x: np.ndarray
    rows: np.ndarray

    @property
    def storage(self):
        return format_of(self.dtype)

    @cached_property
    def values(self):
        """The terms, float32 [slots, tokens, hidden]."""
        return self.gather(self.rows)

    def gather(self, rows):
        live = (rows >= 0).T
        values = np.zeros((rows.shape[1], len(rows), self.x.shape[1]), np.float32)
        values[live] = widen(self.x)[rows.T[live]]
        return values

    def right(self, merges=None):
        """What a right kernel gives, in the declared or another order."""
        total = emulate(merges or bin_tree(SLOTS), self.values.copy())
        return self.stored(total)

    def stored(self, total):
        """Patterns of float32 or float64 values, rounded once."""
        return to_bits(np.asarray(total, np.float64), self.storage)

    @cached_property
    def outcomes(self):
        """The results of all orders: [trees, tokens, hidden] patterns, equal ones left out."""
        return np.stack([self.right(merges) for merges in every_tree()])

    def is_right(self, bits):
        """Whether all elements are what a right kernel gives: then there is nothing to reject."""
        return bool(same_value(bits, self.right(), self.storage).all())

    def illegal(self, bits, *, declared):
        """Whether some element is one that no legal order can give."""
        if declared:
            return not same_value(bits, self.right(), self.storage).all()
        suspects = np.nonzero(~same_value(bits, self.right(), self.storage))
        legal = np.zeros(suspects[0].shape, np.bool_)
        for outcome in self.outcomes:
            legal |= same_value(bits[suspects], outcome[suspects], self.storage)
        return not legal.all()

    @cached_property
    def case(self) -> Case:
        """The call as the suite describes it."""
        grad = (len(self.x), HIDDEN) if self.mode == "dropless" else (EXPERTS, CAPACITY, HIDDEN)
        return call(
            self.mode,
            self.dtype,
            source=grad,
            indices=tuple(self.rows.ravel().tolist()),
            top_k=SLOTS,
            values=tuple(bits_of(self.x).ravel().tolist()),
        )

    @cached_property
    def golden(self):
        """The exact sums, float64 (as near as float64 adds them)."""
        with np.errstate(invalid="ignore"):
            return self.values.astype(np.float64).sum(axis=0)


@cache
def every_tree():
    return tuple(merges_of(tree)[1] for tree in trees(tuple(range(SLOTS))))


def merges_of(tree):
    """A tree of nested pairs as its least slot and its merges, each into the lower slot."""
    if not isinstance(tree, tuple):
        return tree, ()
    (one, left), (other, right) = (merges_of(side) for side in tree)
    into, source = min(one, other), max(one, other)
    return into, (*left, *right, (into, source))


def routing(mode, generator):
    """Rows of every slot. In drop/pad mode tokens keep 0 to all of their slots, in turn."""
    if mode == "dropless":
        return generator.permutation(TOKENS * SLOTS).reshape(TOKENS, SLOTS)
    rows = generator.permutation(EXPERTS * CAPACITY)[: TOKENS * SLOTS].reshape(TOKENS, SLOTS)
    kept = np.resize([5, 1, 4, 2, 5, 3, 5, 0], TOKENS)
    order = generator.permuted(np.tile(np.arange(SLOTS), (TOKENS, 1)), axis=1)
    return np.where(order < kept[:, None], rows, -1)


def made(dtype, mode, seed, scale, values):
    """A problem; ``values(seed, shape, storage)`` makes its data, float64, before scaling."""
    generator = np.random.default_rng([seed, 17])
    rows = routing(mode, generator)
    count = TOKENS * SLOTS if mode == "dropless" else EXPERTS * CAPACITY
    storage = format_of(dtype)
    data = round_once(values(seed, (count, HIDDEN), storage, scale), storage)
    x = to_bits(data, storage).view(numpy_dtype(storage))
    unread = np.setdiff1d(np.arange(count), rows)
    x[unread] = np.nan
    return Problem(dtype, mode, x, rows)


def our_values(seed, shape, storage, scale):
    """All families of the suite, striped over the columns, all but the special ones scaled."""
    dtype = numpy_dtype(storage)
    filled = widen(expand(Fill(NAMES, seed, SLOTS), shape, dtype), np.float64)
    plain = tuple(name for name in NAMES if name not in UNSCALED)
    columns = np.zeros(shape[1], np.bool_)
    order = np.random.Generator(np.random.Philox(key=seed)).permutation(len(NAMES))
    stripe = np.resize(order, shape[1])
    columns = np.isin(stripe, [NAMES.index(name) for name in plain])
    return np.where(columns, filled * scale, filled)


def gaussian_values(seed, shape, storage, scale):
    """What most tests feed."""
    return np.random.default_rng([seed, 5]).standard_normal(shape) * scale


def gaussian_specials(seed, shape, storage, scale):
    """The same with NaN and infinities, one element in a hundred."""
    generator = np.random.default_rng([seed, 6])
    chosen = generator.choice([np.nan, np.inf, -np.inf], shape)
    rare = generator.random(shape) < SPECIAL_SHARE
    return np.where(rare, chosen, gaussian_values(seed, shape, storage, scale))


def draw_number(seed, storage, scale):
    """A number of its own for every seed and scale, small ones in turn."""
    scales = SCALES[numpy_dtype(storage).name]
    return seed * len(scales) + scales.index(scale)


@cache
def drawn_by(rule):
    """The data that a standard prescribes, at its own scale; another draw for every scale."""

    def values(seed, shape, storage, scale):
        draw = draw_number(seed, storage, scale)
        return rule.values(draw, int(np.prod(shape))).reshape(shape)

    return values


@cache
def specials_of(rule):
    """The special inputs that a standard lists, in turn."""

    def values(seed, shape, storage, scale):
        draw = draw_number(seed, storage, scale)
        return np.resize(np.array(rule.special[draw % len(rule.special)]), shape)

    return values


__all__ = [
    "FP32",
    "Problem",
    "drawn_by",
    "gaussian_specials",
    "gaussian_values",
    "made",
    "our_values",
    "specials_of",
]
