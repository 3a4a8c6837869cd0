"""Cells of MoeTokenPermuteWithRoutingMap: what is asked for is drawn, is legal, and shrinks."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cases.operators._moe_token_permute_with_routing_map_grad_maps import in_last_experts
from cases.operators._moe_token_permute_with_routing_map_maps import (
    COLUMNS,
    FILLED,
    LEAST,
    PATTERNS,
    columns_of,
    counts,
    filled_of,
    mask,
    padded_mask,
    patterns_of,
)
from cases.operators.moe_token_permute_with_routing_map import OPERATOR
from tests.cases.drawing import smallest

MODES = tuple(mode.name for mode in OPERATOR.modes)


@pytest.mark.parametrize(
    ("mode", "levels", "tokens", "rows", "hidden"),
    [
        ("dropless", {"boundary": "slots = 33", "top_k": "1"}, 33, 33, 1),
        ("dropless", {"boundary": "slots = 33", "top_k": "9-64"}, 3, 33, 1),
        ("dropless", {"boundary": "tokens = cores + 1", "top_k": "2-3"}, 2, 4, 1),
        ("dropless", {"boundary": "hidden = vendor row", "top_k": "1"}, 1, 1, 24032),
        ("dropless", {"boundary": "hidden = row + 1", "numOutTokens": "with a rest"}, 2, 2, 1537),
        ("drop_pad", {"boundary": "tokens = cores + 1"}, 2, 2, 1),
        ("drop_pad", {"boundary": "slots = one core + 1", "capacity": "dropped"}, 481, 1, 1),
        ("drop_pad", {"boundary": "hidden = vendor row", "capacity": "dropped"}, 2, 1, 24032),
        ("drop_pad", {"boundary": "hidden = row + 1", "numOutTokens": "with a rest"}, 3, 2, 1537),
    ],
)
def test_a_boundary_shrinks_to_its_smallest_sizes(
    mode: str, levels: dict[str, str], tokens: int, rows: int, hidden: int
) -> None:
    case = smallest(OPERATOR, mode, "float32", **levels)
    assert case.inputs["tokens"].shape == (tokens, hidden)
    assert case.outputs["permute_tokens"].shape == (rows, hidden)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_map_shows_its_pattern_and_gives_every_token_as_many_experts(pattern: str) -> None:
    generator = np.random.default_rng(3)
    least, more = LEAST[pattern]
    for tokens, top_k, others in product(range(1, 7), range(1, 6), range(4)):
        if tokens < least or others < more:
            with pytest.raises(ValueError, match="too few for"):
                mask(pattern, tokens, top_k + others, top_k, generator)
            continue
        drawn = mask(pattern, tokens, top_k + others, top_k, generator)
        assert drawn.shape == (tokens, top_k + others)
        assert set(drawn.sum(axis=1)) == {top_k}
        assert pattern in patterns_of(drawn)


def test_patterns_of_maps_that_are_written_out() -> None:
    def shown(*rows: str) -> set[str]:
        return patterns_of(np.array([[mark == "1" for mark in row] for row in rows]))

    assert shown("100", "010", "001") == {"rising"}
    assert shown("001", "010", "100") == {"falling"}
    assert shown("110", "110") == {
        "same experts",
        "expert with all tokens",
        "expert without tokens",
    }
    assert shown("01", "01", "10") == {"falling", "shuffled"}
    assert shown("101", "110") == {"expert with all tokens", "shuffled"}
    assert shown("000") == set()


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("filled", FILLED)
def test_a_padded_map_shows_its_levels_wherever_they_go_together(column: str, filled: str) -> None:
    generator = np.random.default_rng(4)
    drawn = 0
    for tokens, experts in product(range(1, 7), range(1, 4)):
        for capacity in range(1, tokens + 1):
            if not counts(column, filled, tokens, capacity):
                continue
            found = padded_mask(column, filled, (tokens, experts, capacity), generator)
            assert found.shape == (tokens, experts)
            assert column in columns_of(found)
            assert filled in filled_of(found, capacity)
            drawn += 1
    assert drawn or (column, filled) in {
        ("none", "exact"),
        ("none", "dropped"),
        ("all", "padded"),
    }


def test_the_later_half_of_a_maps_experts_are_the_last_ones_in_their_order() -> None:
    given = np.zeros((4, 9), np.bool_)
    given[[0, 1, 2, 3], [5, 0, 2, 3]] = True
    token, expert = np.nonzero(in_last_experts(given))
    assert dict(zip(token.tolist(), expert.tolist(), strict=True)) == {0: 8, 1: 0, 2: 2, 3: 7}
    one = np.zeros((2, 5), np.bool_)
    one[:, 1] = True
    assert np.array_equal(np.nonzero(in_last_experts(one))[1], [4, 4])


def test_columns_and_capacities_of_a_map_that_is_written_out() -> None:
    columns = np.array([list(row) for row in ("01101", "01010", "01011")]) == "1"
    shown = [columns_of(columns[:, [at]]) for at in range(5)]
    assert shown == [
        {"none"},
        {"all"},
        {"first"},
        {"last"},
        {"scattered"},
    ]
    assert filled_of(columns[:, [3]], 2) == {"exact"}
    assert filled_of(columns[:, [3]], 1) == {"dropped"}
    assert filled_of(columns[:, [3]], 3) == {"padded", "whole"}
