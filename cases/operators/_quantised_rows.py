"""What a record promises of rows that its operator quantises: which are specified, what they and
their scales may be, and by which clauses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.boxes import exact
from conformance.numerics.quantisation import affine, live_rows, quotients, scale_of, scaled_rows
from conformance.record.clause import document
from conformance.record.computed import Box, Computed
from conformance.record.contract import Arrays, Bounded, Quantised
from reference.init_routing import DYNAMIC, Rows

Attributes = Mapping[str, Any]


@dataclass(frozen=True)
class QuantisedRows:
    """The rows of an operator that are quantised, all by one scale or each by its own.

    ``routed(inputs, attributes)`` says where they lie, ``scale`` is the output that has the scale
    of each. ``halves`` is that of `affine`. ``equation`` is the part of a document that has them,
    ``divided`` what else says that products with factors are divided.
    """

    routed: Callable[[Arrays, Attributes], Rows]
    scale: str
    equation: str
    divided: str = ""
    halves: bool = False

    def by_one(self) -> Quantised:
        """The contract of rows that have one scale and one offset."""
        text = (
            "the row of a slot's token times the scale, plus the offset, rounded to nearest; 0 in"
            " places without a slot"
        )
        text += "; computed in float32 or float16" if self.halves else ""
        return Quantised(
            document(text, self.equation), self._by_one_scale, specified=self.named_rows
        )

    def by_own(self) -> Quantised:
        """The contract of rows that are divided by a scale of their own."""
        text = (
            "the row of a slot's token, times its factors, divided by its scale, rounded to"
            " nearest; 0 in places without a slot; open for a row of zeros"
        )
        clause = document(text, f"{self.equation}{self.divided}")
        given = (self.scale,)
        return Quantised(clause, self._by_own_scale, given, specified=self._divided_rows)

    def scales(self) -> Bounded:
        """The contract of these scales."""
        text = (
            "the largest magnitude of a row, times its factors, / 127; 0 in places without a slot"
        )
        clause = document(text, f"{self.equation}{self.divided}")
        return Bounded(clause, self._scales, specified=self.named_scales)

    def named_scales(self, inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
        """Which scales are specified: those of rows with a slot, and with places all."""
        return _named(self.routed(inputs, attributes), attributes)

    def named_rows(self, inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
        """The same of the elements of rows."""
        found = self.routed(inputs, attributes)
        return _named(found, attributes).reshape(*found.shape, 1)

    def _divided_rows(self, inputs: Arrays, attributes: Attributes) -> NDArray[np.bool_]:
        """Which elements of rows are, that are divided by a scale: no document says what 0 / 0
        becomes. A row without a slot is not divided."""
        found, rows = self._rows(inputs, attributes)
        told = live_rows(rows)[:, 0] | ~found.named
        return np.asarray((_named(found, attributes) & told).reshape(*found.shape, 1))

    def _rows(self, inputs: Arrays, attributes: Attributes) -> tuple[Rows, NDArray[np.float64]]:
        """The rows that a call quantises, in fp32, after they are multiplied with their factors."""
        found, scale = self.routed(inputs, attributes), inputs.get("scale")
        factors = found.factors(scale) if attributes["quant_mode"] == DYNAMIC else None
        return found, scaled_rows(found.rows_of(inputs["x"]), factors)

    def _scales(self, call: Computed) -> Box:
        return scale_of(self._rows(call.inputs, call.attributes)[1], call.functions)

    def _by_own_scale(self, call: Computed) -> Box:
        """Elements of rows divided by the scale that was observed."""
        found, rows = self._rows(call.inputs, call.attributes)
        observed = call.outputs[self.scale].reshape(-1)
        return _in_rows(found, quotients(rows, observed, call.functions))

    def _by_one_scale(self, call: Computed) -> Box:
        """Elements times the scale, plus the offset."""
        found, rows = self._rows(call.inputs, call.attributes)
        scale, offset = call.inputs["scale"], call.inputs["offset"]
        box = affine(rows.astype(np.float32), scale, offset, halves=self.halves)
        return _in_rows(found, box)


def _named(found: Rows, attributes: Attributes) -> NDArray[np.bool_]:
    return found.named if attributes["drop_pad_mode"] == 0 else np.ones(found.rows, np.bool_)


def _in_rows(found: Rows, box: Box) -> Box:
    """The box in the shape of expanded_x: 0 in rows without a slot."""
    named = found.named[:, np.newaxis]
    zero = exact(np.zeros(box.low.shape, np.float32))
    low, high = np.where(named, box.low, zero.low), np.where(named, box.high, zero.high)
    shape = (*found.shape, box.low.shape[-1])
    return Box(low.reshape(shape), high.reshape(shape))
