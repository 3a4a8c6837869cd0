"""The records of MoeFinalizeRoutingV3 and V4: what they have beside MoeFinalizeRoutingV2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from cases.operators import _finalize_ranges as without_rows
from cases.operators._finalize_call import Finalizing, K, Parts, with_parts
from cases.operators._finalize_calls import FinalizeCalls
from cases.operators._finalize_ranges import WITHOUT_ROWS, with_ranges
from cases.operators._finalize_record import cases, joined, record
from cases.operators._finalize_signature import (
    ALPHAS,
    HOST,
    MODES,
    RANGES,
    Page,
    Version,
    signature_of,
)
from cases.operators._interface import INVALID
from cases.operators._values import bits
from cases.relations.finalized import in_place, layouts
from cases.relations.slot_sums import SumForm, finalized
from conformance.call.case import Case
from conformance.record.cells import Cells
from conformance.record.clause import document, inferred, source_read
from conformance.record.contract import Arrays
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Mode, Quarantine, Strided
from conformance.record.variations import with_attributes
from conformance.record.versions import Versions
from reference import moe_finalize_routing_v4 as reference
from reference.terms import Terms

RANGES_ON_NPU = Versions(
    source_read(
        "on Ascend910B and 910_93 the interface drops x, alpha1, alpha2 and v, and nothing reads"
        " the ranges; the document lists them without a restriction",
        f"{HOST}/op_api",
    ),
    until="8.3",
)
"""No such CANN has the operator: on an NPU no call with ranges is made."""


def terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The rows of all that each token adds, and the scales of those of experts.

    Of calls with constant experts they are elements, with their alphas among the factors.
    """
    bias, scales, ranks = inputs.get("bias"), inputs.get("scales"), inputs["expanded_row_idx"]
    experts, tokens = inputs.get("expert_idx"), reference.tokens_of(ranks, scales, _k(attributes))
    held: dict[str, Any] = {name: inputs.get(name) for name in ("x", *ALPHAS)}
    instead = reference.without_rows(
        experts,
        (tokens, ranks.size // max(1, tokens)),
        *(attributes[name] for name in RANGES),
        **held,
    )
    parts = reference.terms(
        ranks,
        scales,
        experts,
        instead=instead,
        source_rows=math.prod(inputs["expanded_x"].shape[:-1]),
        num_rows=tokens,
        drop_pad_mode=attributes["drop_pad_mode"],
        experts=None if bias is None else len(bias),
        x1="x1" in inputs,
        x2="x2" in inputs,
    )
    return joined(inputs, parts, None if parts[0].columns is None else np.float32)


def _k(attributes: Mapping[str, Any]) -> int:
    return int(attributes.get(K, 1))


def _by_hand(
    one: Finalizing, mode: str, *, top_k: int = 2, k: int = 1, scaled: bool = True
) -> Case:
    """Four slots, of rows 8, 1, 2 and 4, and of scales 1, 2, 3 and 4."""
    case = one.call(
        mode,
        "float32",
        source=(4, 1),
        indices=(3, 0, 1, 2),
        top_k=top_k,
        values=bits("float32", 1, 2, 4, 8),
    )
    scales = bits("float32", 1, 2, 3, 4) if scaled else None
    return with_parts(case, Parts(scales=scales, k=k))


EACH_KIND = (0, 3, 1, 2)
"""The experts of the four slots: one with row 8, a constant, a zero and a copy one."""


def ranged(one: Finalizing, mode: str, top_k: int = 2, k: int = 1) -> Case:
    """The call with an expert of each kind: 1 is zero, 2 a copy, 3 and 4 are constant."""
    ranges = {"zero": (1, 2), "copy": (2, 3), "constant": (3, 5)}
    alpha1, alpha2, v = (bits("float32", one, 7) for one in (2, 0.5, 100))
    plain = _by_hand(one, mode, top_k=top_k, k=k)
    x = bits("float32", *(10, 20)[: plain.outputs["out"].shape[0]])
    return with_ranges(plain, EACH_KIND, ranges, x, (alpha1, alpha2, v))


def _examples(one: Finalizing, page: Page) -> Iterator[Example]:
    by_hand = f"{page.equation}, by hand"
    constant = 2 * 10 + 0.5 * 100
    for mode in MODES:
        due = {"out": (8 + 2 * constant, 4.0 * 20)}
        yield Example(f"an expert of each kind, {mode}", ranged(one, mode), by_hand, due)
    for mode, k in product(MODES[::2], (1, 4) if one.has_k else (1,)):
        case = ranged(one, mode, top_k=4, k=k)
        sums = {"out": (8 + 2 * constant + 4 * 10,)}
        yield Example(f"an expert of each kind in one token, {mode}, k {k}", case, by_hand, sums)
    for mode in MODES if one.has_k else ():
        bare = _by_hand(one, mode, k=2, scaled=False)
        yield Example(f"k 2 without scales, {mode}", bare, by_hand, {"out": (8 + 1, 2 + 4)})
        for k in (1, 2):
            case = _by_hand(one, mode, k=k)
            due = {"out": (8.0 + 2 * 1, 3 * 2 + 4 * 4)}
            yield Example(f"k {k} beside two columns of scales, {mode}", case, by_hand, due)


def _quarantine(one: Finalizing, page: Page) -> tuple[Quarantine, ...]:
    dropped = _by_hand(one, "dropless_rows")
    given = replace(dropped.inputs["expanded_row_idx"], values=(3, -1, 1, 2))
    doubtful = with_attributes(ranged(one, "dropless_rows"), **dict.fromkeys(RANGES, (-1, -1)))
    return (
        Quarantine(
            "ranges of -1 and -1",
            doubtful,
            inferred(
                "a range is above 0; tests of the interface give -1 for none", page.parameters
            ),
        ),
        Quarantine(
            "an index of -1 without drop",
            replace(dropped, inputs={**dropped.inputs, "expanded_row_idx": given}),
            document("an index without drop is 0 or more", page.parameters),
            routes=("aclnn",),
        ),
    )


def _wrong(one: Finalizing, calls: FinalizeCalls) -> dict[str, Case]:
    found = calls.wrong()
    if one.has_k:
        bare = _by_hand(one, "dropless_rows", k=2, scaled=False)
        found["two slots for each token, and no scales"] = with_attributes(bare, **{K: 1})
    return found


def later(name: str, version: Version, formula: Any) -> tuple[Finalizing, SumForm, dict[str, Any]]:
    """A version of the operator, how it is asked for sums, and the fields of its record."""
    title = "".join(word.capitalize() for word in name.split("_"))
    page = Page(f"aclnn{title} document", f"aclnn{title} document")
    signature = signature_of(name, page, version)
    one = Finalizing(signature)
    calls = FinalizeCalls(one, page)
    form = finalized(name, **dict.fromkeys(RANGES), **({K: 1} if version.k else {}))
    base = record(one, page, calls, form, terms)
    near, plain = base["cells"], partial(cases, one)

    def drawn(mode: str, dtype: str, small: bool = False, seam: bool = False) -> Any:
        if mode == WITHOUT_ROWS:
            return without_rows.cases(one, dtype, small=small, seam=seam)
        return plain(mode, dtype, small=small, seam=seam)

    def cells(mode: str, dtype: str) -> Cells:
        return without_rows.cells(one, dtype) if mode == WITHOUT_ROWS else near(mode, dtype)

    kinds = document(
        "by the ranges of their ids: the slot of a zero expert adds nothing, that of a copy expert"
        " has its token's row of x, of a constant one alpha1 * x + alpha2 * v",
        page.equation,
    )
    inputs = [one.name for one in signature.tensors if one.role == "input"]
    fields = {
        **base,
        "ranges": tuple(each for each in base["ranges"] if each.name != K),
        "cases": drawn,
        "small_cases": partial(drawn, small=True),
        "seam_cases": partial(drawn, small=True, seam=True),
        "cells": cells,
        "modes": (*base["modes"], Mode(WITHOUT_ROWS, kinds, versions=RANGES_ON_NPU)),
        "examples": (*_examples(one, page), *base["examples"]),
        "quarantine": (*base["quarantine"], *_quarantine(one, page)),
        "relations": (
            *(replace(each, modes=each.modes or MODES) for each in base["relations"]),
            layouts(MODES),
            in_place(WITHOUT_ROWS, RANGES),
        ),
        "rejections": rejections(
            signature,
            *calls.rights,
            ranged(one, "dropless_rows"),
            *((_by_hand(one, "dropless_rows", k=2, scaled=False),) if version.k else ()),
            wrong=_wrong(one, calls),
        ),
        "strided": (
            Strided(tuple(inputs), document("an input may have strides", page.parameters)),
            Strided(("out",), document("out has none", page.parameters), INVALID, False),
        ),
        "formula": lambda inputs, attributes: {"out": formula(**inputs, **attributes)},
    }
    return one, form, fields
