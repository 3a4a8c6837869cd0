"""What documents say of numbers of rows, as host tilings have it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kernels.host_tilings import ACCEPTED, Call, host_tiling
from tests.kernels.tilings import moe_token_permute, moe_token_permute_with_ep
from tests.kernels.tilings.description import Sizes
from tests.kernels.tilings.moe_token_permute_with_ep import PADDED

SIZES = Sizes(tokens=8, top_k=3, hidden=4, kind="-probs")
NUMBERS = range(-30, 31)
PERMUTE = ("moe_token_permute", "MoeTokenPermute")
WITH_EP = ("moe_token_permute_with_ep", "MoeTokenPermuteWithEp")


def of_permute(number: int, rows: int) -> Call:
    return {**moe_token_permute.call(SIZES), **moe_token_permute.kept(number, rows)}


def of_document(number: int, rows: int) -> Call:
    return {
        **moe_token_permute_with_ep.call(SIZES),
        **moe_token_permute_with_ep.of_rows(rows),
        "numOutTokens": number,
        "asDocument": 1,
    }


@pytest.mark.parametrize(("names", "of"), [(PERMUTE, of_permute), (WITH_EP, of_document)])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_of_tokens_keeps_the_first_slots_of_the_order(
    number: int, names: tuple[str, str], of: Callable[[int, int], Call]
) -> None:
    """So many if it is positive, all but so many if it is not; the ranks of all are wanted."""
    rows = min(number, SIZES.slots) if number > 0 else max(0, SIZES.slots + number)
    tiling = host_tiling(*names)
    status, data, _ = tiling.cut(of(number, rows))
    assert status == ACCEPTED
    assert (data.slots.firstRank, data.slots.endRank) == (0, rows)
    assert data.slots.usedCores > 0
    assert tiling.cut(of(number, rows + 1))[0] != ACCEPTED


@pytest.mark.parametrize(("span", "number"), [((3, 9), 0), ((-1, 99), 1), (None, -7)])
def test_a_range_and_a_number_of_tokens_do_not_apply_to_a_padded_call(
    span: tuple[int, int] | None, number: int
) -> None:
    tiling = host_tiling(*WITH_EP)
    _, plain, _ = tiling.cut(PADDED)
    _, data, _ = tiling.cut({**PADDED, "range": span, "numOutTokens": number})
    assert bytes(data) == bytes(plain)
