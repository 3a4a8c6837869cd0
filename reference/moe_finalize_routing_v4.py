"""MoeFinalizeRoutingV4: MoeFinalizeRoutingV2, with k, and with experts that have no rows.

Source: aclnnMoeFinalizeRoutingV4 document (equation; parameters; constraints). To the equation of
MoeFinalizeRoutingV2 come, for slot k of token i whose expert is expertIdx[i, k],

    in zeroExpertRange:      the slot is skipped, and so is its bias
    in copyExpertRange:      x[i] stands for the row of expandedX
    in constantExpertRange:  alpha1 * x[i] + alpha2 * v stands for it

Where the document is silent or contradicts itself, this reading was taken:

* A range is [start, end), the end exclusive, as the table says. It wants numbers above 0 there, and
  [0, E - 1] for the experts; 0 is taken, as expert 0 is one like others. None is no range.
* alpha1, alpha2 and v have a row for each constant expert: that of expert e is e - start.
* The equation lays slots out by i * K + k; dropPadMode does so as in MoeFinalizeRoutingV2.
* K is the columns of scales. Without scales it is the attribute k; beside scales a k above 1 must
  be the same, and one of 1 or less is not looked at.
* A slot of such an expert needs no row: -1, with Drop/Pad, stands for none as elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference import moe_finalize_routing_v2 as of_rows
from reference.finalize_routing import WithoutRows, check_matrix
from reference.rules import reject
from reference.terms import Terms

Range = tuple[int, int] | None
_DOCUMENT = "aclnnMoeFinalizeRoutingV4"
_PARAMETERS = _DOCUMENT + ", parameters: "


def tokens_of(expanded_row_idx: NDArray[Any], scales: NDArray[Any] | None, k: int) -> int:
    """The tokens of a call. Raises ValueError for a k of 0 or less without scales, and one above 1
    that is not the columns of scales."""
    if scales is not None:
        if k > 1 and k != scales.shape[1]:
            reject("k", k, f"must be the {scales.shape[1]} columns of scales", _PARAMETERS + "k")
        return int(scales.shape[0])
    if k < 1:
        reject("k", k, "must be above 0 without scales", _PARAMETERS + "k")
    return len(expanded_row_idx) // k


def _slots_of(expert_idx: NDArray[Any] | None, name: str, given: Range, slots: Any) -> Any:
    """Which slots have an expert of a range, bool of the shape `slots`."""
    if given is None:
        return np.zeros(slots, np.bool_)
    source = f"{_PARAMETERS}{name}"
    if len(given) != 2 or not 0 <= given[0] < given[1]:
        reject(name, given, "must be a start from 0 on and an end beyond it", source)
    if expert_idx is None:
        reject("expert_idx", None, f"must be there beside {name}", source)
    return (expert_idx >= given[0]) & (expert_idx < given[1])


def without_rows(
    expert_idx: NDArray[Any] | None,
    slots: tuple[int, int],
    zero_expert_range: Range = None,
    copy_expert_range: Range = None,
    constant_expert_range: Range = None,
    **tensors: NDArray[Any] | None,
) -> WithoutRows:
    """The slots of experts that have no row; `slots` is (tokens, K), `tensors` are x, alpha1,
    alpha2 and v. Raises ValueError for ranges that are none or overlap, and for a tensor that is
    missing or of another shape."""
    ranges = {
        "zeroExpertRange": zero_expert_range,
        "copyExpertRange": copy_expert_range,
        "constantExpertRange": constant_expert_range,
    }
    zero, copy, constant = (
        _slots_of(expert_idx, name, given, slots) for name, given in ranges.items()
    )
    named = sorted(given for given in ranges.values() if given is not None)
    for (_, end), (start, _) in pairwise(named):
        if start < end:
            reject("ranges", named, "must not overlap", f"{_DOCUMENT}, constraints")
    numbers = np.zeros(slots, np.int64)
    needed = {"x": slots[0]} if copy_expert_range or constant_expert_range else {}
    if constant_expert_range is not None and expert_idx is not None:
        start, end = constant_expert_range
        numbers = expert_idx.astype(np.int64) - start
        needed |= dict.fromkeys(("alpha1", "alpha2", "v"), end - start)
    held: dict[str, NDArray[Any]] = {}
    for name, rows in needed.items():
        tensor = tensors.get(name)
        if tensor is None:
            reject(name, None, "must be there beside its range", _PARAMETERS + name)
        check_matrix(name, tensor, (rows, "H"), _DOCUMENT, name)
        held[name] = tensor
    return WithoutRows(zero, copy, constant, numbers, held)


def formula(
    expanded_x: NDArray[Any],
    expanded_row_idx: NDArray[Any],
    x1: NDArray[Any] | None = None,
    x2: NDArray[Any] | None = None,
    bias: NDArray[Any] | None = None,
    scales: NDArray[Any] | None = None,
    expert_idx: NDArray[Any] | None = None,
    x: NDArray[Any] | None = None,
    alpha1: NDArray[Any] | None = None,
    alpha2: NDArray[Any] | None = None,
    v: NDArray[Any] | None = None,
    *,
    drop_pad_mode: int = 0,
    zero_expert_range: Range = None,
    copy_expert_range: Range = None,
    constant_expert_range: Range = None,
    k: int = 1,
) -> NDArray[Any]:
    """The document's equation; all but these is as in MoeFinalizeRoutingV2.

    * `x`: [tokens, H]; `alpha1`, `alpha2`, `v`: [constant experts, H]; of the dtypes of
      `expanded_x`, or None where no range asks for them.
    * ranges: (start, end), the end exclusive, or None. `k`: slots of a token without scales.

    Returns out [tokens, H] in the dtype of `expanded_x`. Raises TypeError for a dtype, ValueError
    for any other argument outside the rules.
    """
    tokens = tokens_of(expanded_row_idx, scales, k)
    ranges = zero_expert_range, copy_expert_range, constant_expert_range
    slots = tokens, expanded_row_idx.size // max(1, tokens)
    instead = without_rows(expert_idx, slots, *ranges, x=x, alpha1=alpha1, alpha2=alpha2, v=v)
    return of_rows.formula(
        *(expanded_x, expanded_row_idx, x1, x2, bias, scales, expert_idx),
        num_rows=tokens,
        drop_pad_mode=drop_pad_mode,
        instead=instead,
    )


def terms(
    expanded_row_idx: NDArray[Any],
    scales: NDArray[Any] | None = None,
    expert_idx: NDArray[Any] | None = None,
    *,
    instead: WithoutRows,
    **how: Any,
) -> tuple[Terms, ...]:
    """What each row of out adds, one of Terms for each source.

    `how` is as in the terms of MoeFinalizeRoutingV2, and so are the first sources. The next is x,
    if there are copy or constant experts, and the last v, if there are constant ones. With these
    the terms are elements (`Terms.of_elements`): a slot adds x times its alpha1 and v times its
    alpha2, each a product of two tensors, and times the slot's scale in float64.
    """
    parts = of_rows.terms(expanded_row_idx, scales, expert_idx, **how)
    unread = instead.zero | instead.copy | instead.constant
    hidden = {"expanded_x": unread, "bias": instead.zero}
    parts = tuple(
        replace(one, rows=np.where(hidden[one.source], -1, one.rows))
        if one.source in hidden
        else one
        for one in parts
    )
    if not (instead.copy.any() or instead.constant.any()):
        return parts
    own = np.broadcast_to(np.arange(len(unread))[:, None], unread.shape)
    weights = None if scales is None else scales.astype(np.float64)
    rows = np.where(instead.copy | instead.constant, own, -1)
    of_x = Terms(rows=rows, source="x", coefficients=weights)
    if not instead.constant.any():
        return (*parts, of_x)
    columns = instead.tensors["x"].shape[1]
    of_v = Terms(np.where(instead.constant, instead.numbers, -1), "v", coefficients=weights)
    found = np.where(instead.constant, instead.numbers, 0)
    of_alpha1, of_alpha2 = (
        np.asarray(instead.tensors[name], np.float64)[found] for name in ("alpha1", "alpha2")
    )
    of_alpha1 = np.where(instead.constant[:, :, None], of_alpha1, 1.0)
    return (
        *(one.of_elements(columns) for one in parts),
        of_x.of_elements(columns, of_alpha1),
        of_v.of_elements(columns, of_alpha2),
    )
