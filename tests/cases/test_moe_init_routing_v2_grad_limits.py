"""The limits that strategies solve for are those of the host tiling and of the vendor's table."""

from itertools import product

import pytest

from cases.operators._moe_init_routing_v2_grad_limits import (
    bins,
    least_ub_bytes,
    tile_columns,
    tokens_per_batch,
    vendor_tile_columns,
)
from conformance.record.chips import USABLE_UB_BYTES
from tests.kernels.moe_init_routing_v2_grad_tiling import BYTES, Tiling, compile_tiling

TOP_KS = (1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 129, 300)
UBS = (1024, 4096, 6144, 16384, 20000, 65536, 196352, 196608)
HIDDENS = (1, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 333, 1000, 4096, 20000)

TABLE = {
    1: (16384, 16384, 16384, 16384),
    4: (16360, 16384, 16352, 16384),
    8: (9816, 9824, 9808, 9824),
    16: (5448, 5456, 5440, 5456),
    32: (2880, 2888, 2880, 2880),
    64: (1480, 1488, 1472, 1488),
    128: (376, 384, 368, 384),
}
"""By the first top_k of a class: fp32 on 910B and 910_93, 16-bit on 910B and 910_93."""


@pytest.fixture(scope="module")
def tiling(tmp_path_factory: pytest.TempPathFactory) -> Tiling:
    return compile_tiling(tmp_path_factory.mktemp("tiling"))


@pytest.mark.parametrize("dtype", BYTES)
def test_the_limits_are_what_the_host_tiling_exports(tiling: Tiling, dtype: int) -> None:
    size = BYTES[dtype]
    for top_k in TOP_KS:
        assert bins(top_k) == tiling.limit("bins", top_k, dtype)
        least = least_ub_bytes(top_k, size)
        assert least == tiling.limit("ub-bytes", top_k, dtype)
        for ub in (least - 1, least, *UBS):
            assert tile_columns(top_k, size, ub) == tiling.limit("hidden", top_k, dtype, ub=ub)
        for ub, hidden in product((least, *(ub for ub in UBS if ub >= least)), HIDDENS):
            batch = tokens_per_batch(top_k, size, ub, hidden)
            assert batch == tiling.limit("batch", top_k, dtype, ub=ub, hidden=hidden)
            exported = tiling.limit("tokens", top_k, dtype, cores=3, ub=ub, hidden=hidden)
            assert 3 * batch == exported


@pytest.mark.parametrize("first", TABLE)
def test_the_vendors_limits_are_those_of_its_table(first: int) -> None:
    last = 3 * first if first == 1 else 2 * first - 1
    for top_k in (first, last):
        found = [vendor_tile_columns(top_k, size, on) for size in (4, 2) for on in USABLE_UB_BYTES]
        assert tuple(found) == TABLE[first]
