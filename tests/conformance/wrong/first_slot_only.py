"""A record that is wrong on purpose: it claims that only the first slot of a token is added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from hypothesis.strategies import SearchStrategy

from cases.operators.moe_init_routing_v2_grad import OPERATOR as RIGHT
from conformance.call.case import Case
from conformance.record.contract import Arrays, Sum
from reference.terms import Terms

NAME = "first_slot_only"
EMPTY = next(example for example in RIGHT.examples if example.name == "hidden 0")


def terms(inputs: Arrays, attributes: Mapping[str, int]) -> Terms:
    right = RIGHT.contracts["grad_x"].terms(inputs, attributes)
    rows = right.rows.copy()
    rows[:, 1:] = -1
    return replace(right, rows=rows)


def formula(inputs: Arrays, attributes: Mapping[str, int]) -> Arrays:
    source = inputs["grad_expanded_x"]
    source = source.reshape(int(np.prod(source.shape[:-1])), source.shape[-1])
    first = terms(inputs, attributes).rows[:, 0]
    return {"grad_x": np.where(first[:, None] >= 0, source[first], source.dtype.type(0))}


def cases(mode: str, dtype: str) -> SearchStrategy[Case]:
    return RIGHT.cases(mode, dtype).map(renamed)


def small_cases(mode: str, dtype: str) -> SearchStrategy[Case]:
    assert RIGHT.small_cases is not None
    return RIGHT.small_cases(mode, dtype).map(renamed)


def renamed(case: Case) -> Case:
    return replace(case, operator=NAME)


OPERATOR = replace(
    RIGHT,
    name=NAME,
    formula=formula,
    cases=cases,
    small_cases=small_cases,
    contracts={"grad_x": Sum(RIGHT.contracts["grad_x"].clause, terms)},
    modes=RIGHT.modes[:1],
    dtypes=("float32",),
    examples=(replace(EMPTY, case=renamed(EMPTY.case)),),
    rejections=(),
    cells=None,
    seam_cases=None,
)
