"""Where the kernels of MoeTokenPermuteGrad change their path: this project's and the vendor's.

What `RowUb` and `limits` say is what the host tiling exports as MoeTokenPermuteGradTilingLimit; a
test holds them equal, and every run asks the library. It is written here again because a strategy
needs it where no kernel is built. MoeTokenPermuteWithRoutingMapGrad adds rows by the same kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

from conformance.call.case import Machine, numpy_dtype
from conformance.draw.machines import UB_BYTES, seam_machines
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS

GRANULE_BYTES = 32
INDEX_BYTES = 4
BUFFERS = {"four-buffers": 4, "three-buffers": 3, "hidden": 2}
"""Input buffers of the longest row in one tile, by the limit's name."""

CHIPS = tuple(Machine(cores, ub) for cores in (40, 48) for ub in USABLE_UB_BYTES.values())
"""Vector cores of the chips and the buffer that a tiling sees on Ascend910B and 910_93."""

SMALL = Machine(3, 4096)
"""Where the limits lie at a handful of rows."""

TOP_KS = (1, 2, 8, 9, 129, 512)
VENDOR_RESERVED_BYTES = 256
VENDOR_COLUMNS_GRANULE = 512
VENDOR_COLUMNS = {
    4: {4: 9216, 3: 11776, 2: 15872},
    2: {4: 10240, 3: 11776, 2: 13312},
}
"""The longest row for which the vendor's tiling takes so many buffers, by bytes of an element
(ops-transformer, moe_token_permute_grad_tiling.cpp, read); Ascend910B and 910_93 alike."""


@dataclass(frozen=True)
class RowUb:
    """The unified buffer that rows share with what names them, ``name_bytes`` for each name.

    Names may lie in ``name_buffers`` of so many bytes each. They may have weights, of
    ``weight_bytes`` to a name, and second names, in buffers of their own; ``wide_rows`` are the
    fp32 rows beside those of 16 bits.
    """

    ub_bytes: int
    element_bytes: int
    name_bytes: int
    weight_bytes: int = 0
    second_name_bytes: int = 0
    name_buffers: int = 1
    wide_rows: int = 2

    def column_bytes(self, buffers: int) -> int:
        """Bytes of one column with so many input buffers: these, the result, sums of 16 bits."""
        wide = 4 * self.wide_rows if self.element_bytes < 4 else 0
        return self.element_bytes * (buffers + 1) + wide

    def of_names(self, names: int) -> int:
        """Bytes of so many names, their weights and second names."""
        beside = sum(
            up(names * size, GRANULE_BYTES) for size in (self.weight_bytes, self.second_name_bytes)
        )
        return self.name_buffers * up(names * self.name_bytes, GRANULE_BYTES) + beside

    @property
    def least(self) -> int:
        """The least buffer that the host tiling accepts."""
        granule = GRANULE_BYTES // self.element_bytes
        return self.of_names(1) + granule * self.column_bytes(2)

    def columns(self, buffers: int) -> int:
        """The longest row with so many input buffers beside one name."""
        left = self.ub_bytes - self.of_names(1)
        granule = GRANULE_BYTES // self.element_bytes
        return max(0, left) // self.column_bytes(buffers) // granule * granule

    def names(self, hidden: int) -> int:
        """The most names beside the tile of ``hidden`` columns; 0 below the least buffer."""
        if self.ub_bytes < self.least:
            return 0
        buffers = next((b for b in (4, 3) if hidden <= self.columns(b)), 2)
        tile = up(min(hidden, self.columns(2)), GRANULE_BYTES // self.element_bytes)
        left = self.ub_bytes - tile * self.column_bytes(buffers)
        bytes_of_name = self.name_buffers * self.name_bytes + self.weight_bytes
        names = left // (bytes_of_name + self.second_name_bytes)
        return next(n for n in range(names, 0, -1) if self.of_names(n) <= left)


def slots_ub(ub_bytes: int, top_k: int, element_bytes: int, weight_bytes: int = 0) -> RowUb:
    """The buffer where a token is named by the indices of its slots, each with its weight."""
    return RowUb(ub_bytes, element_bytes, INDEX_BYTES * top_k, weight_bytes * top_k)


def limits(
    dtypes: Iterable[str], top_ks: Iterable[int] = TOP_KS, weight_bytes: int = 0, prefix: str = ""
) -> Iterator[Limit]:
    """Every limit of the sum over slots, on a small machine and on the chips."""
    for dtype, top_k in product(dtypes, top_ks):
        size = numpy_dtype(dtype).itemsize
        least = slots_ub(0, top_k, size, weight_bytes).least
        yield Limit(f"{prefix}ub-bytes", least, top_k, dtype)
        yield Limit(f"{prefix}cores", SMALL.cores, top_k, dtype, SMALL.cores)
        for ub in (least - 1, least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            row = slots_ub(ub, top_k, size, weight_bytes)
            for axis, buffers in BUFFERS.items():
                yield Limit(f"{prefix}{axis}", row.columns(buffers), top_k, dtype, ub_bytes=ub)
            for hidden in sorted({1, max(1, row.columns(4)), row.columns(2) + 1}):
                batch = row.names(hidden)
                yield Limit(f"{prefix}batch", batch, top_k, dtype, 0, ub, hidden)
                yield Limit(f"{prefix}tokens", 3 * batch, top_k, dtype, 3, ub, hidden)


def of_weights(dtypes: Iterable[str], bare_top_ks: Iterable[int] = TOP_KS) -> Iterator[Limit]:
    """The limits with weights of the rows' data type, of either size, and with none."""
    for dtype in dtypes:
        yield from limits((dtype,), weight_bytes=numpy_dtype(dtype).itemsize)
        yield from limits((dtype,), weight_bytes=4, prefix="fp32-probs-")
        yield from limits((dtype,), weight_bytes=2, prefix="16-bit-probs-")
        yield from limits((dtype,), bare_top_ks, prefix="no-probs-")


def vendor_hiddens(element_bytes: int) -> Iterator[tuple[str, int]]:
    """The row lengths at which the vendor's kernel takes fewer buffers, or another piece."""
    columns = VENDOR_COLUMNS[element_bytes]
    lengths = {f"{buffers} vendor buffers": most for buffers, most in columns.items()}
    lengths |= {"a vendor granule": 512, "two vendor pieces": 2 * columns[2]}
    for (name, length), (step, change) in product(lengths.items(), STEPS.items()):
        yield f"hidden = {name}{step}", length + change


def vendor_pass(machine: Machine, top_k: int, hidden: int, element_bytes: int) -> int:
    """The most tokens of a core of which the vendor's kernel holds all indices beside a row.

    Source: ops-transformer, moe_token_permute_grad_tiling.cpp, read.
    """
    columns = VENDOR_COLUMNS[element_bytes]
    buffers = next((b for b, most in columns.items() if hidden <= most), 2)
    row = up(min(hidden, columns[2]), VENDOR_COLUMNS_GRANULE)
    unit = RowUb(0, element_bytes, 0).column_bytes(buffers)
    left = machine.ub_bytes - row * unit - VENDOR_RESERVED_BYTES
    return left // (INDEX_BYTES * top_k)


def up(value: int, multiple: int) -> int:
    """The value rounded up."""
    return -(-value // multiple) * multiple


MOST_BUFFERS = max(BUFFERS.values())
LEAST_MACHINE = Machine(1, UB_BYTES[0])

SEAM_MACHINES = seam_machines(UB_BYTES[0], 31)
SEAMS = st.sampled_from(("tiles", "batches"))
"""What a case has two of on such a machine: tiles of a row, or batches of names."""


def tile_columns(top_k: int, element_bytes: int, ub_bytes: int, buffers: int = 2) -> int:
    """The largest hidden size in one tile with so many input rows beside a token's indices."""
    return slots_ub(ub_bytes, top_k, element_bytes).columns(buffers)


def names_at_once(top_k: int, element_bytes: int, ub_bytes: int, hidden: int) -> int:
    """The most tokens of which one core has the indices beside a tile of ``hidden`` columns."""
    return slots_ub(ub_bytes, top_k, element_bytes).names(hidden)


def beyond(
    seam: str,
    top_k: int,
    element_bytes: int,
    hidden: int,
    ub_bytes: int = LEAST_MACHINE.ub_bytes,
) -> tuple[int, int]:
    """Columns and tokens that lie on a seam of a buffer; 0 tokens: any, as ``hidden``."""
    if seam == "tiles":
        return tile_columns(top_k, element_bytes, ub_bytes) + 1, 0
    if seam == "batches":
        hidden = tile_columns(top_k, element_bytes, ub_bytes, MOST_BUFFERS)
        return hidden, names_at_once(top_k, element_bytes, ub_bytes, hidden) + 1
    return hidden, 0
