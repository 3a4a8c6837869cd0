"""Relations of MoeTokenPermute: those of sorts, and who else sorts and copies the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.relations.copy_adjoints import adjoint_of_copies, ranked, round_trip
from cases.relations.slot_sorts import INIT, MAP, Ranked, SlotSort, Sorter, flat, same_ranks
from cases.relations.slot_sums import PERMUTE_GRAD
from cases.relations.sorts import Sorted, of_sorts
from conformance.call.case import Case
from conformance.relations.axes import Axes


def _sort(case: Case) -> SlotSort:
    tokens, keys = case.inputs["tokens"], np.asarray(case.arrays["indices"], np.int64)
    return SlotSort(flat(tokens), keys.reshape(tokens.shape[0], -1))


def _kept(case: Case, ranked: Ranked) -> dict[str, NDArray[Any]]:
    rows = case.outputs["permute_tokens"].shape[0]
    ranks = ranked.ranks.ravel().astype(np.int32)
    return {"sorted_indices": ranks, "permute_tokens": ranked.rows[:rows]}


NAMES = ranked("sorted_indices", "permute_tokens", "tokens")
SORTER = Sorter("moe_token_permute", _sort, _kept, "indices")
RELATIONS = (
    *of_sorts(
        Sorted(
            axes=Axes({"tokens": ("token", "hidden"), "permute_tokens": ("row", "hidden")}),
            keys=lambda case: case.arrays["indices"],
            ranks="sorted_indices",
            rows=("tokens", "permute_tokens"),
            window=lambda case: (0, case.outputs["permute_tokens"].shape[0]),
            named="indices",
        )
    ),
    same_ranks(SORTER, INIT),
    same_ranks(SORTER, MAP),
    adjoint_of_copies("tokens", "permute_tokens", NAMES, PERMUTE_GRAD),
    round_trip("tokens", "permute_tokens", NAMES),
)
