"""The limits that strategies solve for are those of the vendor's table, too.

Whether they are those of the host tiling, test_limits_of_tilings.py asks.
"""

import pytest

from cases.operators._moe_init_routing_v2_grad_limits import vendor_tile_columns
from conformance.record.chips import USABLE_UB_BYTES

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


@pytest.mark.parametrize("first", TABLE)
def test_the_vendors_limits_are_those_of_its_table(first: int) -> None:
    last = 3 * first if first == 1 else 2 * first - 1
    for top_k in (first, last):
        found = [vendor_tile_columns(top_k, size, on) for size in (4, 2) for on in USABLE_UB_BYTES]
        assert tuple(found) == TABLE[first]
