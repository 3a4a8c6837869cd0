"""What a record promises of rows that its operator quantises: which are specified, what they and
their scales may be, and by which clauses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        told = _among(found, live_rows(rows)[:, 0], True)
        return np.asarray((_named(found, attributes) & told).reshape(*found.shape, 1))

    def _rows(self, inputs: Arrays, attributes: Attributes) -> tuple[Rows, NDArray[np.float64]]:
        """Of the rows that a call quantises those with a slot, in fp32, after they are multiplied
        with their factors. Padded rows may be many more."""
        found, scale, x = self.routed(inputs, attributes), inputs.get("scale"), inputs["x"]
        factors = found.factors(scale) if attributes["quant_mode"] == DYNAMIC else None
        if factors is not None and len(factors) > 1:
            factors = factors[found.named]
        return found, scaled_rows(x[_tokens(found, x)], factors)

    def _scales(self, call: Computed) -> Box:
        found, rows = self._rows(call.inputs, call.attributes)
        return _in_places(found, scale_of(rows, call.functions))

    def _by_own_scale(self, call: Computed) -> Box:
        """Elements of rows divided by the scale that was observed."""
        found, rows = self._rows(call.inputs, call.attributes)
        observed = call.outputs[self.scale].reshape(-1)[found.named]
        return _in_shape(found, quotients(rows, observed, call.functions))

    def _by_one_scale(self, call: Computed) -> Box:
        """Elements times the scale, plus the offset."""
        found = self.routed(call.inputs, call.attributes)
        x, scale, offset = (call.inputs[name] for name in ("x", "scale", "offset"))
        tokens = _tokens(found, x)
        return _in_shape(found, affine_of_tokens(x, tokens, scale, offset, halves=self.halves))


def affine_of_tokens(
    x: NDArray[Any],
    tokens: NDArray[np.int64],
    scale: NDArray[Any],
    offset: NDArray[Any],
    *,
    halves: bool,
) -> Box:
    """`affine` of the rows x[tokens], worked out once for all slots of a token."""
    named, of_row = np.unique(tokens, return_inverse=True)
    box = affine(x[named], scale, offset, halves=halves)
    return Box(box.low[of_row], box.high[of_row])


def _named(found: Rows, attributes: Attributes) -> NDArray[np.bool_]:
    return found.named if attributes["drop_pad_mode"] == 0 else np.ones(found.rows, np.bool_)


def _tokens(found: Rows, x: NDArray[Any]) -> NDArray[np.int64]:
    """The token of each row with a slot."""
    return np.asarray(found.rows_of(np.arange(len(x)))[found.named])


def _among(found: Rows, of_named: NDArray[Any], other: float) -> NDArray[Any]:
    """What rows with a slot have, in their places; in those without one ``other``."""
    every = np.full((found.rows, *of_named.shape[1:]), other, of_named.dtype)
    every[found.named] = of_named
    return every


def _in_places(found: Rows, box: Box) -> Box:
    """The box of rows with a slot, in their places; 0 in rows without one."""
    return Box(_among(found, box.low, 0.0), _among(found, box.high, 0.0))


def _in_shape(found: Rows, box: Box) -> Box:
    """The same of elements, in the shape of expanded_x."""
    every = _in_places(found, box)
    shape = (*found.shape, every.low.shape[-1])
    return Box(every.low.reshape(shape), every.high.reshape(shape))
