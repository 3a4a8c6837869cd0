"""A layer of experts behind its gating: routing, a step of each expert, and the sum of each token's
rows give what plain numpy gives.

No operator's own values are in doubt here, but how the next one reads them: whose slot a row index
is, and which expert's rows lie where. So experts multiply by powers of two and rows are small
integers: every product and sum is exact.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cases.relations.routing_step import OPERATOR, SLOTS, routing
from cases.relations.selections import Selection
from cases.relations.slot_sums import FINALIZE, SlotSum, title_of
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held

COLUMNS, DTYPE = 5, "float32"
KINDS_OF_EXPERTS, KINDS_OF_SLOTS = 5, 3
"""Experts multiply by 1 to 16, slots by 1, 1/2 and 1/4, by turns."""

MOST_SLOTS, MOST_EXPERTS = 4096, 10240


def layer_behind(given: Selection, modes: tuple[str, ...] = ()) -> Relation:
    """The layer behind the experts that a call selects."""

    def prepared(drawn: Case) -> Case | None:
        case = given.plain(drawn)
        scores, ids = case.inputs[given.scores], case.outputs[given.ids]
        few = 0 < ids.size <= MOST_SLOTS and scores.shape[-1] <= MOST_EXPERTS
        return case if few else None

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        found = np.asarray(outputs[given.ids])
        ids = found.reshape(-1, found.shape[-1]).astype(np.int64)
        count, slots = ids.shape
        experts = case.inputs[given.scores].shape[-1]
        tokens = (np.arange(count * COLUMNS) * 5 % 7 - 3.0).reshape(count, COLUMNS)
        shares = np.tile(0.5 ** (np.arange(slots) % KINDS_OF_SLOTS), (count, 1))
        seen = run(routing(tokens.astype(np.float32), ids, experts, {}))
        of_rows = np.repeat(np.arange(experts), np.asarray(seen[SLOTS], np.int64))
        if of_rows.size != ids.size:
            yield f"{SLOTS} of {title_of(OPERATOR)} are of {of_rows.size} slots, not of {ids.size}"
            return
        made = seen["expanded_x"].astype(np.float64) * _factors(of_rows)[:, None]
        ranks = np.asarray(seen["expanded_row_idx"], np.int64).reshape(count, slots)
        asked = FINALIZE.call(SlotSum(_tensor(made), ranks, _tensor(shares)))
        if asked is None:
            return
        due = tokens * (shares * _factors(ids)).sum(axis=1, keepdims=True)
        meaning = "by numpy, of the tokens, their experts and the shares of slots"
        result = run(asked)[FINALIZE.output]
        yield from difference("the layer", result, due.astype(result.dtype), meaning, sums=True)

    text = "routing and finalizing by these experts give each token the sum of its experts' rows"
    return Relation(
        "a layer behind it",
        inferred(text, "equations of MoeInitRoutingV3 and MoeFinalizeRoutingV2"),
        broken,
        prepared,
        modes,
        beside=(OPERATOR, FINALIZE.operator),
    )


def _factors(experts: np.ndarray) -> np.ndarray:
    return np.asarray(2.0 ** (experts % KINDS_OF_EXPERTS))


def _tensor(array: np.ndarray) -> Tensor:
    return held(Tensor((), DTYPE), array.astype(np.float32))
