"""What documents say of numbers of rows, as entries and host tilings have it."""

from __future__ import annotations

from itertools import product

import pytest

from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.record.variations import reshaped, with_attributes
from conformance.suite.records import operators
from tests.kernels.host_tilings import ACCEPTED, host_tiling
from tests.kernels.tilings import moe_token_permute_with_ep, moe_token_unpermute_with_ep_grad
from tests.kernels.tilings.description import Sizes
from tests.kernels.tilings.moe_token_permute_with_ep import PADDED

SIZES = Sizes(tokens=8, top_k=3, hidden=4, kind="-probs")
NUMBERS = range(-30, 31)
WITH_EP = ("moe_token_permute_with_ep", "MoeTokenPermuteWithEp")
UNPERMUTE_GRAD = ("moe_token_unpermute_with_ep_grad", "MoeTokenUnpermuteWithEpGrad")
TILING_REJECTED = 561002


def kept(number: int, slots: int) -> int:
    """So many if it is positive, all but so many if it is not."""
    return min(number, slots) if number > 0 else max(0, slots + number)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_of_tokens_keeps_the_first_slots_of_the_order(number: int) -> None:
    """The ranks of all are wanted."""
    rows = kept(number, SIZES.slots)
    tiling = host_tiling(*WITH_EP)
    of = {**moe_token_permute_with_ep.call(SIZES), "numOutTokens": number, "asDocument": 1}
    status, data, _ = tiling.cut({**of, **moe_token_permute_with_ep.of_rows(rows)})
    assert status == ACCEPTED
    assert (data.slots.firstRank, data.slots.endRank) == (0, rows)
    assert data.slots.usedCores > 0
    assert tiling.cut({**of, **moe_token_permute_with_ep.of_rows(rows + 1)})[0] != ACCEPTED


def test_so_many_rows_has_the_output_of_a_permutation(devices: dict[str, Device]) -> None:
    operator = next(one for one in operators([]) if one.name == "moe_token_permute")
    case = operator.examples[0].case
    slots, hidden = case.inputs["indices"].size, case.inputs["tokens"].shape[1]
    for number in range(-slots - 2, slots + 3):
        call = with_attributes(case, num_out_tokens=number)
        rows = kept(number, slots)
        right = reshaped(call, "permute_tokens", (rows, hidden))
        wrong = reshaped(call, "permute_tokens", (rows + 1, hidden))
        assert devices["aclnn"].run(operator, right).outcome is Outcome.COMPLETED
        assert devices["aclnn"].run(operator, wrong).status == TILING_REJECTED


@pytest.mark.parametrize(("span", "number"), [((3, 9), 0), ((-1, 99), 1), (None, -7)])
def test_a_range_and_a_number_of_tokens_do_not_apply_to_a_padded_call(
    span: tuple[int, int] | None, number: int
) -> None:
    tiling = host_tiling(*WITH_EP)
    _, plain, _ = tiling.cut(PADDED)
    _, data, _ = tiling.cut({**PADDED, "range": span, "numOutTokens": number})
    assert bytes(data) == bytes(plain)


@pytest.mark.parametrize("kind", ["", "no-probs-"])
def test_a_range_of_ranks_of_a_gradient_is_a_slice_of_python_that_is_not_reversed(
    kind: str,
) -> None:
    sizes = Sizes(tokens=6, hidden=4, kind=kind)
    tiling, call = host_tiling(*UNPERMUTE_GRAD), moe_token_unpermute_with_ep_grad.call(sizes)
    for span in product(range(-9, 10), repeat=2):
        start, end, _ = slice(*span).indices(sizes.slots)
        status, data, _ = tiling.cut({**call, "range": span})
        assert status == (TILING_REJECTED if end < start else ACCEPTED), span
        if start < end:
            assert (data.firstRank, data.slots.rows) == (start, end - start), span
        if start == end:
            assert data.slots.rows == 0, span
