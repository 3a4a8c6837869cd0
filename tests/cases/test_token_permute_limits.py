"""The limits around which strategies draw are those that the host tilings export."""

import pytest
from hypothesis import given, settings

from cases.operators import moe_token_permute_grad as permute_grad
from cases.operators import moe_token_permute_with_ep as permute
from cases.operators import moe_token_permute_with_routing_map_grad as routing_map_grad
from cases.operators._slot_sum_limits import names_at_once, tile_columns
from cases.operators._token_permute_limits import CopyUb
from conformance.call.case import Case, numpy_dtype
from conformance.judge.legality import check_call
from conformance.record.operator import Operator
from tests.kernels.host_tilings import BYTES, host_tiling

TOP_KS = (1, 2, 3, 5, 7, 8, 9, 31, 64, 65)
UBS = (1024, 2048, 4096, 6144, 16384, 196352)
HIDDENS = (1, 7, 8, 9, 33, 41, 48, 49, 64, 73, 80, 81, 333, 4096, 20000)


@pytest.mark.parametrize("title", ["MoeTokenPermuteGrad", "MoeTokenPermuteWithRoutingMapGrad"])
def test_tiles_and_batches_of_the_sums_of_rows(title: str) -> None:
    name = "moe_token_permute_grad"
    if "Map" in title:
        name = "moe_token_permute_with_routing_map_grad"
    tiling = host_tiling(name, title)
    for dtype, size in BYTES.items():
        for top_k in TOP_KS:
            for ub in UBS:
                assert tile_columns(top_k, size, ub) == tiling.limit("hidden", top_k, dtype, ub=ub)
                for hidden in HIDDENS:
                    batch = tiling.limit("batch", top_k, dtype, ub=ub, hidden=hidden)
                    assert names_at_once(top_k, size, ub, hidden) == batch


def test_parts_of_a_routing_map() -> None:
    tiling = host_tiling(routing_map_grad.NAME, "MoeTokenPermuteWithRoutingMapGrad")
    for dtype, size in BYTES.items():
        at_once = tiling.limit("tile-tokens", dtype=dtype, ub=1024, hidden=32)
        assert routing_map_grad.TOKENS_OF_TWO_MAPS[size] == at_once + 1


ON_SEAMS = [
    (record.OPERATOR, mode)
    for record, modes in (
        (permute_grad, ("whole", "uneven")),
        (permute, ("full", "middle")),
        (routing_map_grad, ("dropless", "drop_pad")),
    )
    for mode in modes
]


@pytest.mark.parametrize(("operator", "mode"), ON_SEAMS)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_case_on_a_seam_is_a_call_that_its_small_machine_takes_in_parts(
    operator: Operator, mode: str, dtype: str
) -> None:
    assert operator.seam_cases is not None

    @settings(max_examples=20, database=None, derandomize=True, deadline=None)
    @given(case=operator.seam_cases(mode, dtype))
    def holds(case: Case) -> None:
        check_call(case, operator)
        assert case.machine is not None
        assert case.machine.cores == 1
        assert case.machine.ub_bytes < 2304
        assert has_parts(case)

    holds()


def has_parts(case: Case) -> bool:
    """Two tiles of a row, two batches of names, or more keys than are sorted at once."""
    assert case.machine is not None
    ub_bytes, size = case.machine.ub_bytes, numpy_dtype(case.dtype).itemsize
    indices = next(one for one in case.inputs.values() if one.dtype in ("int32", "int64"))
    rows = next(one for one in case.inputs.values() if one.dtype == case.dtype)
    hidden = rows.shape[-1]
    if case.operator == permute.NAME:
        top_k = indices.shape[1] if len(indices.shape) == 2 else 1
        tile = CopyUb(ub_bytes, top_k, size, "probs" in case.inputs).columns
        return hidden > tile or indices.size > 32
    if case.mode == "drop_pad":
        batch = names_at_once(2, size, ub_bytes, hidden)
        return hidden > tile_columns(2, size, ub_bytes) or indices.size > min(batch, 32)
    tokens = next(iter(case.outputs.values())).shape[0]
    top_k = indices.size // tokens
    batch = names_at_once(top_k, size, ub_bytes, hidden)
    maps = case.mode == "dropless" and tokens == routing_map_grad.TOKENS_OF_TWO_MAPS[size]
    return hidden > tile_columns(top_k, size, ub_bytes) or tokens > batch or maps
