"""Parts of the corpus about the loops that numba compiles; here they run in Python."""

from contextlib import contextmanager
from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.call.case import numpy_dtype
from conformance.numerics import bulk, compiled, interval_look
from conformance.numerics.bulk import Bulk
from conformance.numerics.interval_look import IntervalLook, Settled
from conformance.numerics.order import emulate, sequential
from reference.floats import format_of, from_bits, to_bits
from tests.conformance.numerics.hard_data import HARD, columns, gaussian
from tests.conformance.numerics.looks import masks

TOKENS, SOURCES, HIDDEN = 6, 16, 40
COLUMNS, PIECE = 16, 6
"""Those of the loops are more than a corpus in Python can add up."""

ORDERS = (None, sequential, bin_tree)


@contextmanager
def small_blocks():
    """Loops for every output, however small, and a few columns at once."""
    from conformance.numerics import compiled_interval, compiled_sums

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(compiled.VARIABLE, raising=False)
        patch.setattr(compiled, "LEAST_TERMS", 0)
        patch.setattr(bulk, "FEW_TERMS", 0)
        patch.setattr(bulk, "BLOCK_ELEMENTS", 3 * HIDDEN)
        patch.setattr(interval_look, "BLOCK_ELEMENTS", 3 * HIDDEN)
        for module in (compiled_sums, compiled_interval):
            patch.setattr(module, "COLUMNS", COLUMNS)
        patch.setattr(compiled_sums, "PIECE", PIECE)
        yield


def calls(dtype, slots):
    """Sources, rows of which some are left out, weights, and sums of which some are wrong."""
    fmt = format_of(dtype)
    for family, special in product((*HARD, gaussian), (None, fmt.infinity_bits, fmt.nan_bits)):
        draw = np.random.default_rng(slots)
        bits = to_bits(columns(draw, family, SOURCES, HIDDEN, fmt), fmt)
        if special is not None:
            bits[draw.random(bits.shape) < 0.02] = special
        rows = draw.integers(0, SOURCES, (TOKENS, slots))
        rows[draw.random(rows.shape) < 0.2] = -1
        terms = np.where((rows >= 0).T[:, :, None], from_bits(bits, fmt)[rows.T], 0.0)
        weights = np.where(rows >= 0, draw.standard_normal(rows.shape), 0.0).astype(np.float32)
        with np.errstate(all="ignore"):
            sums = emulate(sequential(slots), terms.astype(np.float32)).astype(np.float64)
            found = to_bits(sums, fmt)
        found.reshape(-1)[::9] ^= 1
        yield bits.view(numpy_dtype(dtype)), rows, weights, found.view(numpy_dtype(dtype))


def loops_of_sums():
    with small_blocks():
        for dtype, slots in product(("float16", "bfloat16", "float32"), (1, 5)):
            for (source, rows, weights, seen), order in product(calls(dtype, slots), ORDERS):
                if dtype == "float32" and order is None:
                    continue
                merges = order and order(slots)
                yield masks(Bulk(source, rows, seen, merges), seen.shape)
                if order is sequential:
                    yield masks(Bulk(source, rows, seen, merges, weights), seen.shape)


def loops_of_intervals():
    with small_blocks():
        for slots in (1, 5, 9):
            for source, rows, _, seen in calls("float32", slots):
                for asked in (None, seen.view(np.uint32) % 2 == 1):
                    settled = Settled()
                    look = IntervalLook(source, rows, seen, settled, asked)
                    yield masks(look, seen.shape), settled.several


PARTS = (loops_of_sums, loops_of_intervals) if find_spec("numba") else ()
"""None without numba: then no mutant of its loops changes anything."""
