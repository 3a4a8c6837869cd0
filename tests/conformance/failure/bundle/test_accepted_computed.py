"""A bundle stores of quantised integers what any right device may answer, by any right scale."""

from dataclasses import replace

import numpy as np
import pytest

from conformance.failure.bundle.accepted import accepted_of, estimated_bytes
from conformance.failure.picture import distances
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.numerics.arithmetic import IEEE
from conformance.record.functions import Functions, FunctionTraits
from conformance.values.fill import Fill
from tests.conformance.quantise_rows import case, formula, operator

NEAR = replace(IEEE, functions=Functions(div=FunctionTraits(1, flush=False)))


def stored(made, arithmetic, ties="either"):
    """The least and the greatest integer of each element of q."""
    found = accepted_of(operator(ties), made, "q", arithmetic)
    assert (found.kind, found.storage_bits, found.infinity_bits) == ("ranges", 8, 0)
    shape = made.outputs["q"].shape
    return found, *(found.arrays[end].reshape(shape) for end in ("low", "high"))


@pytest.mark.parametrize("ties", ["even", "either"])
def test_integers_by_every_right_scale_are_accepted_and_none_of_a_row_of_zeros_is_stored(ties):
    made = case((8, 300), fill=Fill(("near ties",), 1))
    _, low, high = stored(made, NEAR, ties)
    for steps in (-1, 0, 1):
        scale = formula(made.arrays, {})["scale"]
        scale = (scale.view(np.int32) + steps).view(np.float32)
        q = np.rint(made.arrays["x"] / scale[:, None]).astype(np.int8)
        seen = replace(right_answer(operator(ties), made), outputs={"q": q, "scale": scale})
        assert judge(operator(ties), made, seen, NEAR).ok
        assert ((low <= q) & (q <= high)).all()
    assert (high - low <= 1).all()
    zeros = case((4, 3), fill=Fill(("zero rows",), 2))
    found, *_ = stored(zeros, NEAR)
    live = zeros.arrays["x"].any(axis=1)
    q = formula(zeros.arrays, {})["q"]
    assert (distances(found, q).reshape(4, 3) == np.where(live, 0, -1)[:, None]).all()


def test_a_distance_is_that_to_the_nearest_accepted_integer_whatever_the_signs():
    made = case((2, 40), fill=Fill(("ties",), 3))
    found, low, high = stored(made, IEEE)
    assert (high - low).any()
    wrong = np.full((2, 40), -100, np.int8)
    away = distances(found, wrong).reshape(2, 40)
    assert (away == np.maximum(low + 100, 0) + np.maximum(-100 - high, 0)).all()


def test_the_room_of_a_range_is_asked_for():
    made = case((2, 40), fill=Fill(("gaussian",), 3))
    assert estimated_bytes(operator(), made, "q") == 80 * 16
