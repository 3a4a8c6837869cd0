"""What the records of operators that finalize have alike, by their signature and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._extremes import with_extremes
from cases.operators._finalize_call import Finalizing, Parts, with_parts
from cases.operators._finalize_calls import FinalizeCalls
from cases.operators._finalize_cells import cells, completed
from cases.operators._finalize_edges import EXPERTS, extremes, limits
from cases.operators._finalize_signature import (
    CONSTANT_RANGE,
    DTYPES,
    HOST,
    KERNELS,
    MODES,
    Page,
    by_column,
    drops,
)
from cases.operators._interface import as_listed
from cases.operators._ladders import FEW, ladder, of_slots, on_edges, slots
from cases.operators._slot_sum_cases import far_cases, near_cases
from cases.operators._slot_sum_cases import row_sum as slot_row_sum
from cases.operators._values import bits
from cases.operators._workloads import by_ranks
from cases.relations.slot_grads import FINALIZE_GRAD, adjoint_of_weighted
from cases.relations.slot_sums import UNPERMUTE, SumForm
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from cases.relations.weights import no_number_is_told
from conformance.call.case import Case
from conformance.draw.far import mostly
from conformance.record.clause import Clause, document, source_read
from conformance.record.contract import Arrays, Sum, Varying
from conformance.record.derive.records import of_signature
from conformance.record.operator import Mode, Support, Target
from conformance.record.relation import Relation
from conformance.record.signature import Signature
from conformance.relations.axes import Axes
from reference.terms import Terms, stacked

PRODUCTS = ("Ascend910B", "Ascend910_93")
NEGATED = ("expanded_x", "x1", "x2", "bias")
"""What may be added, in the order of the interface."""

TermsOf = Callable[[Arrays, Mapping[str, Any]], Terms]


@cache
def cases(
    one: Finalizing, mode: str, dtype: str, small: bool = False, seam: bool = False
) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core.

    A few of the modes that drop slots are far, as a capacity bounds no index.
    """
    near: SearchStrategy[Case] = near_cases(one.sums, mode, dtype, small=small, seam=seam)
    if drops(mode) and not seam:
        near = mostly(near, far_cases(one.sums, mode, dtype, small))
    return completed(near, dtype, whole=one.whole)


def row_sum(one: Finalizing, dtype: str, x: NDArray[np.generic]) -> Case:
    """One token whose slots are the rows of ``x`` [slots, columns], each of scale 1."""
    case = slot_row_sum(one.call, "dropless_rows", dtype, x)
    return with_parts(case, Parts(scales=bits(dtype, *(1.0 for _ in x))))


def joined(inputs: Arrays, parts: tuple[Terms, ...], dtype: Any = None) -> Terms:
    """The terms of all sources as one, with factors of a dtype; None: that of scales."""
    found = stacked(parts, [part.view(inputs[part.source].shape)[0] for part in parts])
    if dtype is None and "scales" in inputs:
        dtype = inputs["scales"].dtype
    if dtype is None or found.coefficients is None:
        return found
    return replace(found, coefficients=found.coefficients.astype(dtype))


def scaled_sums(page: Page, terms: TermsOf) -> Sum:
    """What is promised of sums with a bias and scales."""
    return Sum(clause=_equation(page), terms=terms, fused="sums")


def _equation(page: Page) -> Clause:
    return document(
        "each token is x1 + x2 + the sum over its top_k slots of scale * (row of expanded_x + bias"
        " of the slot's expert); what is absent adds nothing, and a scale is 1",
        page.equation,
    )


def contract(page: Page, terms: TermsOf) -> Varying:
    """What is promised of out."""

    def choose(case: Case) -> str:
        added = "bias" in case.inputs or case.attributes.get(CONSTANT_RANGE)
        return "scaled sums" if added and "scales" in case.inputs else "sums"

    return Varying(
        choose,
        {
            "sums": Sum(clause=_equation(page), terms=terms),
            "scaled sums": scaled_sums(page, terms),
        },
    )


def _mode(page: Page, name: str) -> Mode:
    layout = "i + k * tokens" if by_column(name) else "i * top_k + k"
    held = "-1 leaves a row out, not its bias" if drops(name) else "every slot has a row"
    text = f"dropPadMode {MODES.index(name)}: slot k of token i is index {layout}; {held}"
    return Mode(name, source_read(text, f"{KERNELS}; {page.parameters}"))


def relations_of(signature: Signature, form: SumForm, page: Page) -> tuple[Relation, ...]:
    """The relations of an operator that is asked for sums as its form says."""
    product = document("each token adds rows times their scales", page.equation)
    return (
        *(
            relation
            for mode in MODES
            for relation in of_sums(Axes.of(signature.of_mode(mode)), ("out",), NEGATED, (mode,))
        ),
        agrees(form, UNPERMUTE),
        agrees_rounded(form, UNPERMUTE),
        split(form),
        batch_invariant(form),
        adjoint_of_weighted(form, FINALIZE_GRAD, NEGATED, "scales"),
        no_number_is_told(form, "scales", product),
    )


def record(
    one: Finalizing, page: Page, calls: FinalizeCalls, form: SumForm, terms: TermsOf
) -> dict[str, Any]:
    """The fields of a record that its operator has like the others."""
    drawn = partial(cells, one)
    return {
        **of_signature(one.signature, partial(cases, one)),
        "sources": (*dict.fromkeys((page.readme, page.page)), KERNELS, HOST),
        "products": PRODUCTS,
        "modes": tuple(_mode(page, name) for name in MODES),
        "dtypes": DTYPES,
        "contracts": {"out": contract(page, terms)},
        "cells": with_extremes(drawn, extremes),
        "examples": calls.examples(),
        "quarantine": calls.quarantine(),
        "limits": tuple(limits()),
        "row_sum": partial(row_sum, one),
        "ladders": (
            *of_slots(on_edges(drawn), modes=MODES[2:]),
            slots(on_edges(drawn), kind=", by column", modes=MODES[:2]),
            ladder(
                EXPERTS,
                on_edges(drawn),
                lambda n: {"top_k": 1, "tokens": FEW, "hidden": 1, EXPERTS: n},
                modes=MODES,
            ),
        ),
        "workload_cases": by_ranks(on_edges(drawn), "dropless_rows", "expanded_row_idx"),
        "relations": relations_of(one.signature, form, page),
        "each_tensor": as_listed(page.readme),
        "targets": targets(page, ", and CANN 8.1.RC1 takes no float32 scales beside bfloat16"),
    }


def targets(page: Page, more: str = "") -> tuple[Target, ...]:
    """The products of an operator, and how they add."""
    return tuple(
        Target(
            product,
            Support.SUPPORTED,
            document(
                f"{series} series: yes; float16 is added in float16 there ({KERNELS}, read){more}",
                f"{page.readme}, products",
            ),
        )
        for product, series in zip(PRODUCTS, ("Atlas A2", "Atlas A3"), strict=True)
    )
