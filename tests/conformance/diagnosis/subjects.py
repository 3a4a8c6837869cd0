"""Summed outputs with a mistake, as a diagnosis is given them."""

import numpy as np

from conformance.diagnosis.subject import Subject
from conformance.numerics.addends import Rule
from conformance.numerics.elements import judge_elements
from conformance.numerics.gather import gather
from conformance.numerics.order import emulate, sequential
from conformance.values.address_code import address_code
from conformance.values.fill import Fill, expand
from reference.floats import FP16, FP32, bits_of, numpy_dtype, to_bits
from reference.terms import Terms

TOKENS, SLOTS, HIDDEN = 12, 3, 40


def right_rows(tokens=TOKENS, slots=SLOTS):
    """A permutation of the source rows that is not its own inverse."""
    return np.random.default_rng(7).permutation(tokens * slots).reshape(tokens, slots)


def source(family="gaussian", storage=FP16, rows=TOKENS * SLOTS, terms=SLOTS):
    return expand(Fill((family,), seed=3, terms=terms), (rows, HIDDEN), numpy_dtype(storage))


def summed(x, rows, storage=FP16, merges=None):
    """Patterns of the sums, float32 additions from left to right."""
    terms = Terms(np.asarray(rows, np.int64), "x")
    values = gather(x, terms, slice(None), slice(None))
    total = emulate(merges or sequential(terms.rows.shape[1]), values)
    return to_bits(total.astype(np.float64), storage)


def subject(observed, x, rows, storage=FP16, **fields):
    """The subject of these observed patterns; wrong is what the interval refuses."""
    terms = Terms(np.asarray(rows, np.int64), "x")
    values = gather(x, terms, slice(None), slice(None)).astype(np.float64)
    flat = values.reshape(len(values), -1)
    judged = judge_elements(flat, observed.reshape(-1), FP32, storage)
    wrong = ~judged.ok.reshape(observed.shape)
    return Subject("y", wrong, observed, terms, x, Rule(FP32, storage, storage), **fields)


def coded(storage=FP16, terms=SLOTS):
    """What makes a subject address-coded."""
    code = address_code(3, storage, terms)
    return {"code": code, "coded": np.ones(HIDDEN, np.bool_)}


__all__ = [
    "HIDDEN",
    "SLOTS",
    "TOKENS",
    "bits_of",
    "coded",
    "right_rows",
    "source",
    "subject",
    "summed",
]
