"""Cases of operators that sort slots and copy rows."""

from __future__ import annotations

from hypothesis import strategies as st

from cases.operators._token_permute import TokenPermute
from cases.operators._token_permute_sizes import MOST_TOP_K, SORT_GRANULE
from conformance.call.case import Case, numpy_dtype
from conformance.draw.keys import keys
from conformance.draw.machines import UB_BYTES, machines, seam_machines
from conformance.draw.sizes import FEW_COLUMNS, hiddens, token_counts, top_ks
from conformance.draw.values import MOVED

MOST_SLOTS = 2_000
SEAM_SLOTS = 32
SEAM_TOP_KS = st.integers(1, 8) | st.integers(9, SEAM_SLOTS)
"""Of a case on a seam: ranks of more than 8 slots take more than a block of 32 bytes."""

LARGEST_CASE = 30_000
"""Elements that one drawn case may move: bounds its time, not what a kernel can do."""

SEAM_MACHINES = {
    "tiles": seam_machines(UB_BYTES[0], 31),
    "lists": seam_machines(UB_BYTES[0], 15),
    "lists of a run": seam_machines(UB_BYTES[1], 7),
}
"""The machines on which a case has rows of two tiles, or lists of keys to merge: of runs, or of
one run, which is longer where the buffer is. 512 bytes above the first a run is longer, too."""

SEAMS = st.sampled_from(tuple(SEAM_MACHINES))

NUMBERS = st.integers(0, 2**20)


@st.composite
def sorting_cases(
    draw: st.DrawFn,
    permute: TokenPermute,
    mode: str,
    dtype: str,
    small: bool = False,
    seam: bool = False,
) -> Case:
    """Cases of a mode that sorts; shrinks to one slot, or the fewest of its mode, and one column.

    ``small`` ones have at most 8 slots and 64 columns; those on a ``seam`` a column more than a
    small machine takes in one tile, or a slot or a few more than it sorts at once.
    """
    windows = permute.windows
    most_slots = SEAM_SLOTS if seam else 8 if small else MOST_SLOTS
    size = numpy_dtype(dtype).itemsize
    most_top_k = min(MOST_TOP_K, most_slots // windows.least_tokens.get(mode, 1))
    top_k = min(most_top_k, draw(SEAM_TOP_KS if seam else top_ks(most_top_k)))
    machine = draw(machines(0, small))
    probs = draw(st.none() | MOVED) if permute.probs else None
    tile = permute.columns(mode, machine.ub_bytes, top_k, size, probs is not None)
    most_hidden = FEW_COLUMNS if small else 5000
    # Two at least are drawn from, as fewer choices of one alone would count as simpler.
    most = max(1, most_slots // top_k)
    tokens = min(most, draw(token_counts(machine.cores, max(2, most))))
    where, more = (draw(SEAMS), draw(st.integers(0, 31))) if seam else ("", 0)
    if seam:
        machine = draw(SEAM_MACHINES[where])
    if where.startswith("lists"):
        tokens = -(-(SORT_GRANULE + 1 + more) // top_k)
    level = draw(st.sampled_from(windows.levels[mode]))
    tokens = max(tokens, windows.fewest_tokens(mode, level, top_k))
    slots = tokens * top_k
    hidden = draw(hiddens(max(1, min(most_hidden, LARGEST_CASE // slots)), tile))
    if where == "tiles":
        hidden = permute.columns(mode, machine.ub_bytes, top_k, size, probs is not None) + 1
    asked = windows.attributes(mode, level, slots, draw(NUMBERS), draw(NUMBERS))
    flat = permute.flat and draw(st.booleans()) and top_k == 1
    index_dtype = draw(st.sampled_from(permute.index_dtypes))
    indices = tuple(draw(keys(slots, index_dtype)).tolist())
    if permute.probs:
        asked["probs"] = probs
    for choice in permute.choices:
        asked[choice.name] = draw(st.sampled_from(choice.levels[mode]))
    return permute.call(
        mode,
        dtype,
        tokens=(tokens, hidden),
        top_k=None if flat else top_k,
        indices=indices,
        index_dtype=index_dtype,
        fill=draw(permute.fills(mode)),
        machine=machine,
        **asked,
    )
