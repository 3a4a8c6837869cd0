"""What MoeInitRoutingV3 promises of rows, row indices and counts: which are specified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._moe_init_routing_v3_call import PAGE, RANGE, TYPE
from cases.operators._quantised_rows import QuantisedRows
from conformance.record.contract import Arrays
from reference.moe_init_routing_v3 import KEY_VALUE, SCATTER, Routing, range_of, routing

Attributes = Mapping[str, Any]
OF_ROUTING = ("active_num", "expert_capacity", "expert_num", "drop_pad_mode", RANGE)


def routed(inputs: Arrays, attributes: Attributes) -> Routing:
    """Where the rows of a call lie."""
    return routing(inputs["expert_idx"], **{name: attributes[name] for name in OF_ROUTING})


QUANTISED = QuantisedRows(
    routed,
    "expanded_scale",
    f"{PAGE}, equation 4",
    "; the kernel divides the product of x and the factor, too",
)


def named_indices(inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
    """Which row indices are specified: with those of scatter, as many as slots are in the range."""
    found = routed(inputs, attributes)
    gathered = attributes["row_idx_type"] != SCATTER
    return np.asarray(gathered | (np.arange(found.place.size) < found.active))


def named_counts(inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
    """Which counts are specified: of pairs one more than there are experts in the range."""
    experts = attributes["expert_num"]
    start, end = range_of(attributes[RANGE], experts)
    if attributes[TYPE] != KEY_VALUE:
        return np.ones(end - start, np.bool_)
    return np.asarray(np.arange(experts) < min(end - start + 1, experts))[:, np.newaxis]
