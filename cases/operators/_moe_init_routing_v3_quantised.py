"""What MoeInitRoutingV3 promises of rows and scales: which are specified, and what they may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._moe_init_routing_v3_call import RANGE, TYPE
from conformance.numerics.boxes import exact
from conformance.numerics.quantisation import affine, live_rows, quotients, scale_of, scaled_rows
from conformance.record.computed import Box, Computed
from conformance.record.contract import Arrays
from reference.init_routing import DYNAMIC
from reference.moe_init_routing_v3 import KEY_VALUE, SCATTER, Routing, range_of, routing

Attributes = Mapping[str, Any]
OF_ROUTING = ("active_num", "expert_capacity", "expert_num", "drop_pad_mode", RANGE)


def routed(inputs: Arrays, attributes: Attributes) -> Routing:
    """Where the rows of a call lie."""
    return routing(inputs["expert_idx"], **{name: attributes[name] for name in OF_ROUTING})


def _named(found: Routing, attributes: Attributes) -> NDArray[np.bool_]:
    """Which rows are specified: those with a slot, and with places all."""
    return found.named if attributes["drop_pad_mode"] == 0 else np.ones(found.rows, np.bool_)


def named_scales(inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
    """Which scales are specified: those of such rows."""
    return _named(routed(inputs, attributes), attributes)


def named_rows(inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
    """The same of the elements of rows."""
    found = routed(inputs, attributes)
    return _named(found, attributes).reshape(*found.shape, 1)


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


def divided_rows(inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
    """Which elements of rows are, that are divided by a scale: no document says what 0 / 0 becomes.
    A row without a slot is not divided."""
    found, rows = _rows(inputs, attributes)
    told = live_rows(rows)[:, 0] | ~found.named
    return np.asarray((_named(found, attributes) & told).reshape(*found.shape, 1))


def _rows(inputs: Arrays, attributes: Attributes) -> tuple[Routing, NDArray[np.float64]]:
    """The rows that a call quantises, in fp32, after they are multiplied with their factors."""
    found, scale = routed(inputs, attributes), inputs.get("scale")
    factors = found.factors(scale) if attributes["quant_mode"] == DYNAMIC else None
    return found, scaled_rows(found.rows_of(inputs["x"]), factors)


def scales(call: Computed) -> Box:
    """The scale of each row of dynamic quantisation; +0 of a row without a slot."""
    return scale_of(_rows(call.inputs, call.attributes)[1], call.functions)


def _in_rows(found: Routing, box: Box) -> Box:
    """The box in the shape of expanded_x: 0 in rows without a slot."""
    named = found.named[:, np.newaxis]
    zero = exact(np.zeros(box.low.shape, np.float32))
    low, high = np.where(named, box.low, zero.low), np.where(named, box.high, zero.high)
    shape = (*found.shape, box.low.shape[-1])
    return Box(low.reshape(shape), high.reshape(shape))


def by_own_scale(call: Computed) -> Box:
    """Elements of rows divided by the scale that was observed."""
    found, rows = _rows(call.inputs, call.attributes)
    observed = call.outputs["expanded_scale"].reshape(-1)
    return _in_rows(found, quotients(rows, observed, call.functions))


def by_one_scale(call: Computed) -> Box:
    """Elements times the scale, plus the offset."""
    found, rows = _rows(call.inputs, call.attributes)
    scale, offset = call.inputs["scale"], call.inputs["offset"]
    return _in_rows(found, affine(rows.astype(np.float32), scale, offset))
