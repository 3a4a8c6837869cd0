"""What decides of a choice of experts by group, and what the weights of the chosen may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cases.operators import _gating_scores as scored
from conformance.numerics import boxes, scores
from conformance.record.computed import Box, Computed, Groups, Keys
from reference.floats import widen


def scores_of(seen: Computed) -> Box:
    """What the score of each expert may be, in float32."""
    x, norm_type = scored.in_float32(seen), seen.attributes["norm_type"]
    if norm_type == 0:
        return scores.softmax(x, seen.functions)
    of_type = scores.sigmoid if norm_type == 1 else scores.root_of_softplus
    return of_type(x, seen.functions)


def keys_of(seen: Computed) -> Sequence[Keys]:
    """The keys by which experts are selected. No document rounds the sum with a bias: of scores
    that the call writes, it may also be compared as it is."""
    x, bias, attributes = scored.in_float32(seen), seen.inputs.get("bias"), seen.attributes
    written, grouped = "out" in seen.outputs, is_grouped(x.shape[-1], attributes)
    if bias is None and not (grouped or written or attributes["norm_type"]):
        return (scored.softmax_keys(x, seen.functions),)
    shift = np.zeros(x.shape[-1:], np.float32) if bias is None else widen(bias, np.float32)
    lost = scored.has_nan(x) if attributes["norm_type"] else scored.has_no_softmax(x)
    known = scored.written(seen.outputs["out"], lost) if written else scores_of(seen)
    rounded = shifted(known, shift)
    classes = None if written else scored.classes_of(seen.functions, x, shift)
    every = [rounded]
    if written and bias is not None:
        with np.errstate(invalid="ignore"):
            exactly = boxes.exact(known.low + shift)
        every.append(scored.unbounded_at(known.unbounded, exactly))
    return tuple(
        Keys(
            box,
            classes=classes,
            groups=_groups(box, attributes, classes) if grouped else None,
            on_grid=box is rounded,
            open=np.asarray(lost | np.isnan(shift).any()),
        )
        for box in every
    )


def shifted(score: Box, shift: scored.Floats) -> Box:
    """RN(score + shift). It may be NaN of infinities: then nothing is promised of the row."""
    key = boxes.added(score, shift)
    lost = np.isneginf(shift) & np.isposinf(score.high) & ~score.unbounded
    return Box(np.where(lost, np.nan, key.low), np.where(lost, np.nan, key.high))


def is_grouped(experts: int, attributes: Any) -> bool:
    """Whether groups decide: not if all are kept, nor if each is one expert."""
    count = attributes["group_count"]
    return bool(1 < count < experts and attributes["k_group"] < count)


def _groups(keys: Box, attributes: Any, classes: scored.Ids | None) -> Groups:
    """The scores of groups: the largest key of each, or the sum of its two largest, which may be
    NaN of infinities."""
    count = attributes["group_count"]
    score = largest = boxes.group_max(keys, count)
    if attributes["group_select_mode"]:
        score = boxes.group_top2(keys, count)
    lost = score.unbounded & ~largest.unbounded
    score = Box(np.where(lost, np.nan, score.low), np.where(lost, np.nan, score.high))
    equal = None if classes is None else scored.equal_groups(classes, count)
    return Groups(score, attributes["k_group"], equal)


def weights(seen: Computed) -> Box:
    """What y may be at the positions that were selected."""
    attributes, functions = seen.attributes, seen.functions
    written = seen.outputs.get("out")
    known = scores_of(seen) if written is None else boxes.exact(written)
    picked = scored.chosen(known, seen.outputs["expert_idx"])
    if attributes["norm_type"] or attributes["renorm"]:
        eps = float(np.float32(attributes["eps"]))
        picked = boxes.shares(picked, functions.div, functions.reciprocal, eps)
    return boxes.scaled(picked, float(np.float32(attributes["routed_scaling_factor"])))
