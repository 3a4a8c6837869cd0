"""Drop/pad calls of MoeInitRoutingV2Grad whose rows no 32-bit offset reaches.

The capacity of an expert bounds no index tensor, so a few slots may name rows anywhere in a source
of gigabytes. Only rows that are listed exist; grad_x stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import strategies as st

from conformance.call.case import Case
from conformance.draw.far import EDGES, far_routings
from conformance.draw.machines import UB_BYTES, machines
from conformance.draw.sizes import token_counts, top_ks
from conformance.draw.values import fills
from conformance.record.operator import Example
from conformance.values.fill import Fill

MOST_INDICES = 64
MOST_SLOTS = 31
"""Of one token, so that the smallest machine can hold its partial sums."""
LARGEST_CASE = 20_000
"""Elements that one case may add up."""

Call = Callable[..., Case]


@st.composite
def far_cases(draw: st.DrawFn, call: Call, dtype: str, small: bool = False) -> Case:
    """Cases that read the last row of a source of 2^31 or 2^32 elements and a little more.

    ``call`` is the record's; ``small`` ones have at most 8 indices and 64 columns.
    """
    top_k = draw(top_ks(8 if small else MOST_SLOTS))
    machine = draw(machines(UB_BYTES[0]))
    tokens = draw(token_counts(machine.cores, (8 if small else MOST_INDICES) // top_k))
    most_hidden = 64 if small else LARGEST_CASE // (tokens * top_k)
    far = draw(far_routings(tokens, top_k, most_groups=8, most_hidden=most_hidden))
    return call(
        "drop_pad",
        dtype,
        grad=far.shape,
        indices=far.indices,
        top_k=top_k,
        fill=draw(fills(top_k)),
        unread=far.unread,
        machine=machine,
        rows=far.rows,
    )


def far_examples(call: Call, dtypes: tuple[str, ...]) -> Iterator[Example]:
    """One call for each dtype and edge whose first row ends before the edge and whose second one
    begins beyond it.
    """
    for edge in EDGES:
        rows = (edge // 8 - 1, edge // 8)
        for dtype in dtypes:
            case = call(
                "drop_pad",
                dtype,
                grad=(2, edge // 16 + 1, 8),
                indices=rows,
                top_k=2,
                fill=Fill(("lattice",), seed=1, terms=2),
                rows=rows,
            )
            name = f"rows around 2^{edge.bit_length() - 1} elements {dtype}"
            yield Example(name, case, "int64 shape and int32 row index of the interface, inferred")
