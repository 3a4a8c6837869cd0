"""Cells of MoeTokenPermuteWithRoutingMapGrad: what is asked for is drawn, is legal, and shrinks."""

from __future__ import annotations

import numpy as np
import pytest

from cases.operators._moe_token_permute_with_routing_map_grad_sizes import (
    ORDERS,
    SHARING,
    PaddedSizes,
    order_of,
    sharing_of,
    token_ids,
)
from cases.operators.moe_token_permute_with_routing_map_grad import OPERATOR
from conformance.call.case import Machine
from tests.cases.drawing import smallest

MODES = tuple(mode.name for mode in OPERATOR.modes)


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_one_stripe_and_the_smallest_machine(
    mode: str,
) -> None:
    case = smallest(OPERATOR, mode, "float32")
    gradient = case.inputs["permuted_token_output_grad"]
    assert case.outputs["tokens_grad"].shape == (1, 1)
    assert case.outputs["tokens_grad"].strides is None
    assert gradient.shape == (1, 1)
    assert gradient.fill is not None
    assert gradient.fill.stripes == ("lattice",)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize(
    ("mode", "levels", "rows", "tokens", "hidden"),
    [
        ("drop_pad", {"boundary": "rows = cores + 1"}, 2, 2, 1),
        ("drop_pad", {"boundary": "rows = cores", "sharing": "one token"}, 2, 1, 1),
        ("drop_pad", {"boundary": "tokens = cores - 1", "order": "any"}, 3, 39, 1),
        ("drop_pad", {"boundary": "hidden = 3 vendor buffers"}, 1, 1, 11776),
        ("dropless", {"boundary": "tokens = cores + 1", "slots": "2-3"}, 4, 2, 1),
        ("dropless", {"probs": "both", "map": "bool", "slots": "512"}, 512, 1, 1),
    ],
)
def test_a_boundary_shrinks_to_its_smallest_sizes(
    mode: str, levels: dict[str, str], rows: int, tokens: int, hidden: int
) -> None:
    case = smallest(OPERATOR, mode, "float32", **levels)
    assert case.inputs["permuted_token_output_grad"].shape == (rows, hidden)
    assert case.outputs["tokens_grad"].shape == (tokens, hidden)


@pytest.mark.parametrize("sharing", SHARING)
@pytest.mark.parametrize("order", ORDERS)
def test_token_ids_are_as_asked_for_and_once_in_an_expert(sharing: str, order: str) -> None:
    generator = np.random.default_rng(5)
    drawn = 0
    for experts, capacity, more in np.ndindex(6, 6, 3):
        sizes = PaddedSizes(Machine(1, 4096), experts + 1, capacity + 1)
        if not sizes.holds(sharing, order):
            continue
        tokens = sizes.fewest_tokens(sharing) + more
        ids = token_ids(sizes, tokens, sharing, order, generator)
        by_expert = ids.reshape(sizes.experts, sizes.capacity)
        assert all(np.unique(one).size == one.size for one in by_expert)
        assert 0 <= ids.min() <= ids.max() < tokens
        assert sharing in sharing_of(ids)
        assert order_of(ids, sizes.experts) == {order}
        drawn += 1
    assert drawn > 10 or (sharing, order) in {("one token", "two runs"), ("one token", "any")}


def test_the_forward_operator_s_padding_is_in_two_runs() -> None:
    """Its experts list the tokens that are routed to them by rising id, then the others."""
    routed = np.array([[0, 1], [1, 0], [0, 1], [1, 1]], bool)
    ids = np.argsort(~routed.T, axis=1, kind="stable")[:, :3].ravel()
    assert ids.tolist() == [1, 3, 0, 0, 2, 3]
    assert order_of(ids, 2) == {"two runs"}
