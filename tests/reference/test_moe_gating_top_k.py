"""MoeGatingTopK chooses experts of the best groups: equations and plain loops agree."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference.moe_gating_top_k import formula
from tests.definitions.moe_gating_top_k import moe_gating_top_k as loops
from tests.reference.gating import FEW, LATTICE, close, same

PLAIN: dict[str, Any] = {
    **{"k_group": 1, "group_count": 1, "group_select_mode": 0, "renorm": 0, "norm_type": 1},
    **{"routed_scaling_factor": 1.0, "eps": 1e-20},
}
LN3 = math.log(3)
SHARES = np.array([[LN3, -LN3, 0.0, LN3]])
"""Sigmoids 3/4, 1/4, 1/2, 3/4."""


@dataclass(frozen=True)
class Call:
    x: NDArray[np.float64]
    bias: NDArray[np.float64] | None
    k: int
    how: dict[str, Any] = field(default_factory=dict)

    def loops(self) -> dict[str, Any]:
        bias = None if self.bias is None else self.bias.tolist()
        return loops(self.x.tolist(), bias, k=self.k, out_flag=True, **(PLAIN | self.how))

    def compared(self) -> dict[str, Any]:
        """What the formula gives, after it was held against the loops."""
        found = formula(x=self.x, bias=self.bias, k=self.k, **(PLAIN | self.how))
        expected = self.loops()
        # Over those of a softmax: its values are summed again, and scaled. A square root halves.
        terms = self.x.shape[1] + self.k + 8
        same(found["expert_idx"], expected["expert_idx"])
        close(found["out"], expected["out"], terms=terms)
        close(found["y"], expected["y"], terms=terms)
        return found


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Groups of the same experts, of few values or many, with a bias or none, and -inf."""
    mode = draw(st.sampled_from([0, 1]))
    group_count = draw(st.integers(1, 4))
    size = draw(st.integers(1 + mode, 4))
    k_group = draw(st.integers(1, group_count))
    rows, experts = draw(st.integers(1, 3)), group_count * size
    few = st.sampled_from(draw(st.lists(LATTICE, min_size=1, max_size=3)))
    element = draw(st.sampled_from([LATTICE, few, few | st.just(-np.inf)]))
    drawn = draw(st.lists(element, min_size=rows * experts, max_size=rows * experts))
    bias = st.lists(st.sampled_from([-0.5, 0.0, 0.25]), min_size=experts, max_size=experts)
    how = {
        "k_group": k_group,
        "group_count": group_count,
        "group_select_mode": mode,
        "renorm": draw(st.sampled_from([0, 1])),
        "norm_type": draw(st.sampled_from([0, 1, 2])),
        "routed_scaling_factor": draw(st.sampled_from([1.0, 2.5, 0.0])),
        "eps": draw(st.sampled_from([1e-20, 1.0])),
    }
    x = np.array(drawn).reshape(rows, experts)
    if how["norm_type"] == 0:
        x[np.isneginf(x).all(axis=1), 0] = 1.0
    biases = draw(st.none() | bias)
    k = draw(st.integers(1, k_group * size))
    return Call(x, None if biases is None else np.array(biases), k, how)


def settled(values: list[tuple[float, Any]]) -> bool:
    """Whether each two values are of the same terms, and so equal, or far apart.

    Sums of other terms may be equal but for their roundings: 0.25 + sigmoid(1) and so on.
    """
    return all(
        one[1] == other[1] or abs(one[0] - other[0]) > 1e-9
        for one, other in combinations(values, 2)
    )


def has_an_order(call: Call, out: list[list[float]]) -> bool:
    """Whether the order of experts, and that of groups, is not a matter of roundings."""
    bias = [0.0] * call.x.shape[1] if call.bias is None else call.bias.tolist()
    size, best = len(bias) // call.how["group_count"], call.how["group_select_mode"] + 1
    for row, norm_out in zip(call.x.tolist(), out, strict=True):
        experts = [
            (value + add, (score, add))
            for value, score, add in zip(norm_out, row, bias, strict=True)
        ]
        groups = []
        for start in range(0, len(bias), size):
            first = sorted(experts[start : start + size], reverse=True)[:best]
            groups.append((sum(value for value, _ in first), sorted(terms for _, terms in first)))
        if not (settled(experts) and settled(groups)):
            return False
    return True


@FEW
@given(call=calls())
def test_the_equations_are_the_loops(call: Call) -> None:
    assume(has_an_order(call, call.loops()["out"]))
    found = call.compared()
    assert found["y"].shape == found["expert_idx"].shape == (len(call.x), call.k)


def test_the_call_of_the_document() -> None:
    """x and bias are uniform in [0, 10): 8 of 256 experts, from 4 of 8 groups by their best two."""
    rng = np.random.default_rng(1)
    x, bias = rng.uniform(0, 10, (3, 256)), rng.uniform(0, 10, 256)
    how = {"k_group": 4, "group_count": 8, "group_select_mode": 1, "eps": 1.0}
    call = Call(x, bias, 8, how)
    assert has_an_order(call, call.loops()["out"])
    found = call.compared()
    groups = [{expert // 32 for expert in row} for row in found["expert_idx"].tolist()]
    assert all(len(row) <= 4 for row in groups)


def test_sigmoids_are_divided_by_their_sum_and_eps_and_scaled() -> None:
    """3/4 and 3/4, experts 0 and 3, of 3/2 + 1/2: 3/8 each, times 4; renorm changes nothing."""
    for renorm in (0, 1):
        how = {"eps": 0.5, "routed_scaling_factor": 4.0, "renorm": renorm}
        found = Call(SHARES, None, 2, how).compared()
        same(found["expert_idx"], [[0, 3]])
        np.testing.assert_allclose(found["y"], [[1.5, 1.5]], rtol=2**-49)
        np.testing.assert_allclose(found["out"], [[0.75, 0.25, 0.5, 0.75]], rtol=2**-49)


@pytest.mark.parametrize(("renorm", "y"), [(0, [8 / 4, 4 / 4]), (1, [8 / 7, 4 / 7])])
def test_a_softmax_is_divided_by_its_sum_with_renorm_alone(renorm: int, y: list[float]) -> None:
    """Powers 4, 2, 1, 1 have shares 4/8 and 2/8, times 4; with renorm 1 divided by 6/8 + 1."""
    x = np.log([[1.0, 2.0, 4.0, 1.0]])
    how = {"norm_type": 0, "renorm": renorm, "eps": 1.0, "routed_scaling_factor": 4.0}
    found = Call(x, None, 2, how).compared()
    same(found["expert_idx"], [[2, 1]])
    np.testing.assert_allclose(found["y"], [y], rtol=2**-49)


def test_the_square_root_of_softplus_by_hand() -> None:
    """ln(1 + e^x) is 4 for x = ln(e^4 - 1), and 1 for x = ln(e - 1): square roots 2 and 1."""
    x = np.log([[math.expm1(1.0), math.expm1(4.0)]])
    found = Call(x, None, 2, {"norm_type": 2}).compared()
    same(found["expert_idx"], [[1, 0]])
    np.testing.assert_allclose(found["y"], [[2 / 3, 1 / 3]], rtol=2**-48)
    np.testing.assert_allclose(found["out"], [[1.0, 2.0]], rtol=2**-48)


def test_a_bias_chooses_and_weighs_nothing() -> None:
    """With the bias 3/4, 5/4, 3/2, 3/4: experts 2 and 1, whose sigmoids are 1/2 and 1/4."""
    found = Call(SHARES, np.array([0.0, 1.0, 1.0, 0.0]), 2).compared()
    same(found["expert_idx"], [[2, 1]])
    np.testing.assert_allclose(found["y"], [[2 / 3, 1 / 3]], rtol=2**-49)
    np.testing.assert_allclose(found["out"], [[0.75, 0.25, 0.5, 0.75]], rtol=2**-49)


@pytest.mark.parametrize(
    ("mode", "k_group", "experts"),
    [(0, 1, [1]), (1, 1, [2]), (0, 2, [1]), (1, 2, [1])],
)
def test_a_group_is_chosen_by_its_greatest_or_by_its_two(
    mode: int, k_group: int, experts: list[int]
) -> None:
    """Sigmoids 0, 3/4 | 1/2, 1/2: the greatest is of the first group, 1 exceeds 3/4 of the two."""
    x = np.array([[-np.inf, LN3, 0.0, 0.0]])
    how = {"group_count": 2, "k_group": k_group, "group_select_mode": mode}
    same(Call(x, None, 1, how).compared()["expert_idx"], [experts])


def test_the_lower_group_of_equal_ones_is_chosen_and_the_lower_expert() -> None:
    """Three groups of 1/2, 1/2: of two that are kept, experts 0, 1 and 2."""
    how = {"group_count": 3, "k_group": 2, "group_select_mode": 1}
    found = Call(np.zeros((1, 6)), None, 3, how).compared()
    same(found["expert_idx"], [[0, 1, 2]])


def test_an_expert_of_another_group_is_not_taken_for_one_of_minus_infinity() -> None:
    """The second group is kept, both of whose experts are to be chosen: not the first's."""
    bias = np.array([-1.0, -1.0, 0.0, -np.inf])
    how = {"group_count": 2, "k_group": 1}
    found = Call(np.zeros((1, 4)), bias, 2, how).compared()
    same(found["expert_idx"], [[2, 3]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": []}, "empty"),
        ({"x": [[[1.0]]]}, "not two axes"),
        ({"x": [[1.0, math.nan]]}, "NaN"),
        ({"x": [[1.0, math.inf]], "norm_type": 2}, "no number"),
        ({"bias": [1.0]}, "bias has another length"),
        ({"k": 0}, "k is below 1"),
        ({"k": 5}, "above the experts"),
        ({"k": 3, "group_count": 2}, "above the experts"),
        ({"k_group": 0}, "of which k_group"),
        ({"k_group": 2}, "of which k_group"),
        ({"group_count": 0}, "do not fall into"),
        ({"group_count": 3}, "do not fall into"),
        ({"group_count": 4, "group_select_mode": 1}, "too few"),
        ({"x": [[0.0] * 2049]}, "too many"),
        ({"x": [[0.0] * 65], "group_count": 65}, "too many"),
        ({"group_select_mode": 2}, "out of range"),
        ({"renorm": 2}, "out of range"),
        ({"norm_type": 3}, "out of range"),
        ({"x": [[-math.inf]], "eps": 0.0}, "is 0"),
    ],
)
def test_the_loops_refuse_what_has_no_result(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        loops(**{"x": SHARES.tolist(), "k": 1, **change})
