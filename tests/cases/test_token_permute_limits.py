"""The limits around which strategies draw are those that the host tilings export."""

from pathlib import Path

import pytest

from cases.operators import _moe_token_permute_with_ep_limits as copies
from cases.operators._row_sum_limits import names_at_once, tile_columns
from tests.kernels import moe_token_permute_with_ep_tiling as ep
from tests.kernels.host_tilings import BYTES, HostTiling

TOP_KS = (1, 2, 3, 5, 7, 8, 9, 31, 64, 65)
UBS = (1024, 2048, 4096, 6144, 16384, 196352)
HIDDENS = (1, 7, 8, 9, 33, 41, 48, 49, 64, 73, 80, 81, 333, 4096, 20000)


@pytest.mark.parametrize(
    "title", ["MoeTokenPermuteGrad", "MoeTokenPermuteWithRoutingMapGrad"]
)
def test_tiles_and_batches_of_the_sums_of_rows(title: str, tmp_path: Path) -> None:
    name = "moe_token_permute_grad"
    if "Map" in title:
        name = "moe_token_permute_with_routing_map_grad"
    tiling = HostTiling(name, title, tmp_path)
    for dtype, size in BYTES.items():
        for top_k in TOP_KS:
            for ub in UBS:
                assert tile_columns(top_k, size, ub) == tiling.limit("hidden", top_k, dtype, ub=ub)
                for hidden in HIDDENS:
                    batch = tiling.limit("batch", top_k, dtype, ub=ub, hidden=hidden)
                    assert names_at_once(top_k, size, ub, hidden) == batch


@pytest.mark.parametrize("has_probs", [False, True])
def test_tiles_of_the_copies_of_rows(has_probs: bool, tmp_path: Path) -> None:
    tiling = ep.compile_tiling(tmp_path)
    axis = "hidden-probs" if has_probs else "hidden"
    for dtype, size in BYTES.items():
        for top_k in (*TOP_KS, 300, 512):
            for ub in UBS:
                exported = tiling.limit(axis, top_k, dtype, ub=ub)
                assert copies.tile_columns(top_k, has_probs, size, ub) == exported
