"""Parts of the corpus about whole outputs: summed in every way, moved, counted; their blocks."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.call.case import numpy_dtype
from conformance.judge.copies import as_integers, judge_copy, judge_index
from conformance.judge.question import Question
from conformance.judge.sums import judge_sum
from conformance.numerics.arithmetic import IEEE
from conformance.numerics.gather import blocks, factors, gather, gather_elements
from conformance.numerics.order import emulate, sequential
from conformance.numerics.output import summed_output
from conformance.record.clause import document
from conformance.record.contract import Copy, Index, Sum
from reference.floats import FP32, format_of, to_bits, widen
from reference.terms import Terms
from tests.conformance.numerics.hard_data import HARD, Call, columns, gaussian, reversed_order
from tests.proofs.mutation.attempt import attempt
from tests.proofs.soundness_run import ARITHMETICS

CLAUSE, ORDER = document("a sum", "corpus"), document("an order", "corpus")
DTYPES = ("float16", "bfloat16", "float32")
EVERY = {"IEEE": IEEE, **ARITHMETICS}


class Told(Call):
    """A call with as much of a case as a diagnosis asks for."""

    def __init__(self, source, dtype, shape):
        super().__init__(source, dtype, shape)
        self.machine = None
        self.inputs = {"x": SimpleNamespace(fill=None, shape=source.shape)}


def asked(source, terms, observed, dtype, arithmetic=IEEE, **contract):
    made = Sum(CLAUSE, lambda inputs, attributes: terms, **contract)
    call = Told(source, dtype, observed.shape)
    return Question("y", made, call, observed, formula=None, arithmetic=arithmetic)


def wrong_somewhere(observed, seed):
    """The output with some last bits, signs and specials changed."""
    bits = observed.copy().view(f"u{observed.dtype.itemsize}")
    draw = np.random.default_rng(seed)
    flat = bits.reshape(-1)
    flat[draw.random(flat.size) < 0.3] ^= 1
    flat[draw.random(flat.size) < 0.05] ^= 1 << (8 * observed.dtype.itemsize - 1)
    flat[draw.random(flat.size) < 0.05] |= format_of(observed.dtype).infinity_bits
    return bits.view(observed.dtype)


def contracts():
    """What may be declared of the order and the accumulator."""
    yield {}
    yield {"merges": sequential}
    yield {"merges": bin_tree, "order_clause": ORDER}
    yield {"accumulate": None}
    yield {"accumulate": None, "merges": sequential}


def summed(family, dtype, slots, width, arithmetics, terms_of):
    """Questions about sums of a family: right in one order, and wrong somewhere."""
    fmt = format_of(dtype)
    values = columns(np.random.default_rng(slots), family, slots, width, fmt)
    source = to_bits(values, fmt).view(numpy_dtype(dtype))
    rows = np.stack([np.arange(slots), np.arange(slots)[::-1], np.full(slots, -1)])
    rows[1, slots // 2] = -1
    terms = terms_of(rows)
    for fields, arithmetic in itertools.product(contracts(), arithmetics):
        fields = {**fields, "accumulate": fields.get("accumulate", "float32") or dtype}
        for order in (sequential, reversed_order):
            wide = np.where(rows.T[:, :, None] >= 0, widen(source)[rows.T], np.float32(0))
            total = emulate(order(slots), wide, FP32).astype(np.float64)
            observed = to_bits(total, fmt).view(source.dtype)
            for seen in (observed, wrong_somewhere(observed, slots)):
                yield asked(source, terms, seen, dtype, arithmetic, **fields)


def plain_sums():
    for family, dtype, slots in itertools.product((*HARD, gaussian), DTYPES, (1, 3, 8)):
        questions = summed(family, dtype, slots, 4, (IEEE,), lambda rows: Terms(rows, "x"))
        for question in itertools.islice(questions, 0, None, 11):
            yield attempt(judge_sum, question)


def sums_on_other_devices():
    others = tuple(ARITHMETICS.values())
    for family, dtype in zip((*HARD, gaussian), itertools.cycle(DTYPES)):
        questions = summed(family, dtype, 4, 3, others, lambda rows: Terms(rows, "x"))
        for question in itertools.islice(questions, 0, None, 13):
            yield attempt(judge_sum, question)


def weighted_and_cast_sums():
    for dtype, cast in itertools.product(DTYPES, (None, *DTYPES)):
        for weight in (None, *DTYPES):

            def weighted(rows, weight=weight, cast=cast):
                if weight is None:
                    return Terms(rows, "x", cast=cast)
                fmt = format_of(weight)
                drawn = columns(np.random.default_rng(12), gaussian, *rows.shape, fmt)
                made = to_bits(drawn, fmt).view(numpy_dtype(weight))
                return Terms(rows, "x", coefficients=made, cast=cast)

            arithmetics = (IEEE, ARITHMETICS["nothing known"])
            questions = summed(gaussian, dtype, 5, 2, arithmetics, weighted)
            fusings = itertools.cycle(("never", "always", "either"))
            some = itertools.islice(questions, 0, None, 29)
            for question, fuse in zip(some, fusings, strict=False):
                contract = replace(question.contract, fused=fuse)
                yield attempt(judge_sum, replace(question, contract=contract))


def large_sums():
    """More than one block, more than one batch, widths that pack and that do not."""
    draw = np.random.default_rng(13)
    for dtype, width in itertools.product(DTYPES, (7001, 30000)):
        x = draw.integers(-8, 9, (6, width)).astype(numpy_dtype(dtype))
        rows = draw.integers(-1, 6, (12, 3))
        total = np.where(rows.T[:, :, None] >= 0, x[rows.T].astype(np.float32), 0).sum(axis=0)
        observed = total.astype(x.dtype)
        observed[11, -1] += 1
        observed[7, 2] = np.nan
        for merges in (None, sequential):
            yield judge_sum(asked(x, Terms(rows, "x"), observed, dtype, merges=merges))


def misfits():
    x = np.ones((3, 4), np.float16)
    for rows, shape in (((2, 3), (2, 4)), ((2, 3), (3, 4)), ((2, 3), (2, 5)), ((1, 2), (4,))):
        terms = Terms(np.zeros(rows, np.int32), "x")
        yield attempt(judge_sum, asked(x, terms, np.zeros(shape, np.float16), "float16"))
    for shape in ((0, 4), (2, 0), (2, 2, 4), ()):
        count = int(np.prod(shape[:-1]))
        source = np.ones((3, shape[-1] if shape else 1), np.float16)
        for slots in (0, 2):
            terms = Terms(np.full((count, slots), 1), "x")
            for merges in (None, sequential):
                seen = np.zeros(shape, np.float16)
                question = asked(source, terms, seen, "float16", merges=merges)
                yield attempt(judge_sum, question)
    beyond = Terms(np.array([[0, 3]]), "x")
    yield attempt(judge_sum, asked(x, beyond, np.zeros((1, 4), np.float16), "float16"))


def gathered():
    draw = np.random.default_rng(14)
    for dtype, slots in itertools.product(DTYPES, (1, 3)):
        source = draw.integers(-9, 9, (5, 7)).astype(numpy_dtype(dtype))
        rows = draw.integers(-1, 5, (4, slots))
        weights = draw.standard_normal(rows.shape).astype(np.float16)
        for terms in (Terms(rows, "x"), Terms(rows, "x", coefficients=weights)):
            for budget in (0, 4, 40, 100, 168, 400, 1 << 20):
                windows = list(blocks(terms, source, budget))
                yield windows, [gather(source, terms, *window) for window in windows]
            places = np.arange(9)
            yield gather_elements(source, terms, places % 4, places % 7), factors(terms)
            output = summed_output(
                "y",
                Sum(CLAUSE, lambda inputs, attributes, made=terms: made),
                Call(source, dtype, (4, 7)),
                np.zeros((4, 7), source.dtype),
            )
            yield output.at(np.array([0, 8, 27]))


def moved():
    x = np.arange(12, dtype=np.uint16).reshape(3, 4).view(np.float16)
    y = x[[1, 0]].copy()
    arrays = {"x": x, "rows": np.array([1, 0], np.int32), "w": np.ones(2, np.float32)}
    made = SimpleNamespace(arrays=arrays, attributes={})

    def rows_of(inputs, attributes):
        return {"y": inputs["x"][inputs["rows"]], "order": inputs["rows"]}

    for places in ((), (0,), (5,), (1, 6), range(8)):
        seen = y.copy()
        seen.view(np.uint16).reshape(-1)[list(places)] ^= 0x8000
        yield attempt(judge_copy, Question("y", Copy(CLAUSE), made, seen, rows_of))
    for dtype in (np.int8, np.int32, np.int64, np.uint8, np.bool_, np.float32):
        for seen in ([1, 0], [0, 0], [1, 1]):
            question = Question("order", Index(CLAUSE), made, np.array(seen, dtype), rows_of)
            yield attempt(judge_index, question)
    for low, high in (
        (0, 1),
        (0, 2),
        (-1, 1),
        (-128, 127),
        (-129, 0),
        (0, 128),
        (0, 255),
        (0, 256),
    ):

        def wide(inputs, attributes, low=low, high=high):
            return {"order": np.array([low, high])}

        for dtype in (np.int8, np.uint8, np.bool_):
            seen = np.array([low, high]).astype(dtype)
            yield attempt(judge_index, Question("order", Index(CLAUSE), made, seen, wide))
    for names in (None, ("x",), ("x", "w"), ("z",), ()):
        yield attempt(as_integers, arrays, names)
    scalar = Question("n", Index(CLAUSE), made, np.array(3), lambda i, a: {"n": np.array(4)})
    yield judge_index(scalar)


PARTS = (
    misfits,
    moved,
    gathered,
    plain_sums,
    sums_on_other_devices,
    large_sums,
    weighted_and_cast_sums,
)
