"""Relations of MoeTokenPermuteWithRoutingMap: those of a sort by the experts that a map names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.relations.sorts import Sorted, of_sorts
from conformance.case import Case
from conformance.relations.axes import Axes
from conformance.relations.symmetries import symmetry

AXES = Axes(
    {
        "tokens": ("token", "hidden"),
        "permute_tokens": ("row", "hidden"),
    }
)


def _experts(case: Case) -> NDArray[Any]:
    """The expert of every slot: of each token those that its row of the map marks."""
    return np.asarray(np.nonzero(case.arrays["routing_map"])[1])


def _marked(case: Case, probs: NDArray[Any]) -> NDArray[Any]:
    """The probability of every slot lies where the map marks it."""
    return np.asarray(probs[case.arrays["routing_map"] != 0])


RELATIONS = (
    *of_sorts(
        Sorted(
            axes=AXES,
            keys=_experts,
            ranks="sorted_indices",
            rows=("tokens", "permute_tokens"),
            elements=("probs", "permute_probs"),
            window=lambda case: (0, case.outputs["permute_tokens"].shape[0]),
            of=_marked,
        ),
        ("dropless",),
    ),
    symmetry(AXES, "hidden", modes=("drop_pad",)),
)
