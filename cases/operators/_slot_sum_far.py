"""Sums over slots whose rows no 32-bit offset reaches.

The source may have more rows than there are indices, so a few slots may name rows anywhere in a
source of gigabytes. Only rows that are listed exist; out stays small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import strategies as st

from cases.operators._slot_sum import Call, TokenSum
from conformance.call.case import Case
from conformance.draw.far import EDGES, far_routings
from conformance.draw.machines import UB_BYTES, machines
from conformance.draw.routings import DROPPED
from conformance.draw.sizes import token_counts, top_ks
from conformance.draw.values import fills
from conformance.record.operator import Example
from conformance.values.fill import Fill

MOST_INDICES = 64
MOST_SLOTS = 31
LARGEST_CASE = 20_000
"""Elements that one case may add up."""


@st.composite
def far_cases(
    draw: st.DrawFn,
    sums: TokenSum,
    mode: str,
    dtype: str,
    small: bool = False,
    grouped: bool = False,
) -> Case:
    """Cases that read the last row of a source of 2^31 or 2^32 elements and a little more.

    A slot that is dropped names the row after it; none, if rows are ``grouped`` by experts.
    ``small`` ones have at most 8 indices and 64 columns.
    """
    top_k = draw(top_ks(min(sums.most_top_k, 8 if small else MOST_SLOTS)))
    machine = draw(machines(UB_BYTES[0] if grouped else sums.lines.least_ub_bytes(MOST_SLOTS)))
    tokens = draw(token_counts(machine.cores, (8 if small else MOST_INDICES) // top_k))
    most_hidden = 64 if small else LARGEST_CASE // (tokens * top_k)
    groups = 8 if grouped else 1
    far = draw(far_routings(tokens, top_k, most_groups=groups, most_hidden=most_hidden))
    none = DROPPED if grouped else far.shape[1] - 1
    return sums.call(
        mode,
        dtype,
        source=far.shape if grouped else far.shape[1:],
        indices=tuple(none if index == DROPPED else index for index in far.indices),
        top_k=top_k,
        fill=draw(fills(top_k)),
        unread=far.unread,
        machine=machine,
        rows=far.rows,
    )


def far_examples(
    call: Call, mode: str, dtypes: tuple[str, ...], experts: int = 0, named: str = "indices"
) -> Iterator[Example]:
    """One call for each dtype and edge whose first row ends before the edge and whose second one
    begins beyond it; 0 ``experts``: rows are not grouped.
    """
    for edge in EDGES:
        rows = (edge // 8 - 1, edge // 8)
        for dtype in dtypes:
            case = call(
                mode,
                dtype,
                source=(experts, edge // 8 // experts + 1, 8) if experts else (edge // 8 + 2, 8),
                indices=rows,
                top_k=2,
                fill=Fill(("lattice",), seed=1, terms=2),
                rows=rows,
            )
            name = f"rows around 2^{edge.bit_length() - 1} elements {dtype}"
            source = f"int64 shape and int32 {named} of the interface, inferred"
            yield Example(name, case, source)


def far_gradients(call: Call, grad: str) -> Iterator[Example]:
    """A call for each edge whose gradient ``grad`` of all tokens ends beyond it; two rows of it are
    moved, as all other tokens were dropped. ``call`` makes a case of one slot to a token.
    """
    for edge, dtype in zip(EDGES, ("float16", "float32"), strict=True):
        hidden = edge // 8192
        tokens = edge // hidden + 2
        case = call(
            "single", dtype, source=(2, hidden), indices=tuple(range(tokens))[::-1], top_k=1
        )
        given = replace(
            case.inputs[grad], fill=Fill(("address",), seed=4), rows=(tokens - 2, tokens - 1)
        )
        power = edge.bit_length() - 1
        yield Example(
            f"gradients beyond 2^{power} elements {dtype}",
            replace(case, inputs={**case.inputs, grad: given}),
            "int64 shape, inferred",
        )
