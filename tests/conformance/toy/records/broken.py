"""A toy record that fails by itself, not by a kernel, as BROKEN says.

judge: its contract's judge raises on a wrong output; bundle: what is accepted of it is nowhere
said; disk: there is no room for a bundle; strategy, formula: these raise;
leaves, skips, dies: its formula does; shape: its outputs have
an axis more than its formula gives.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from conformance.call.case import Case, Tensor
from conformance.judge import calls as judging
from conformance.judge.verdict import OutputVerdict
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Copy
from conformance.record.operator import Mode, Operator, TensorParameter

HOW = os.environ.get("BROKEN", "")
RULE = Clause("the output equals the input", "toy document", SourceClass.DOCUMENT)


@dataclass(frozen=True)
class Own:
    """A contract of the record's own."""

    clause: Clause
    specified: None = None


def judge_own(asked):
    wrong = int(np.count_nonzero(asked.observed != asked.case.arrays["x"]))
    if wrong and HOW == "judge":
        raise RuntimeError("a mistake of this judge")
    size = asked.observed.size
    return OutputVerdict(asked.name, not wrong, RULE, "own", size, size - wrong, wrong)


judging.JUDGES[Own] = judge_own


def formula(inputs, attributes):
    if HOW == "formula":
        raise ZeroDivisionError("no reference")
    if HOW == "leaves":
        raise SystemExit(0)
    if HOW == "skips":
        pytest.skip("no reference")
    if HOW == "dies":
        os._exit(0)
    if HOW == "disk":
        Path("reports/pytest/failures").touch()
    return {"y": inputs["x"]}


def call(mode, dtype, values):
    if HOW == "strategy":
        raise LookupError("nothing to draw")
    shape = (len(values),)
    out = (*shape, 1) if HOW == "shape" else shape
    return Case(
        "broken", mode, dtype, {}, {"x": Tensor(shape, dtype, values)}, {"y": Tensor(out, dtype)}
    )


def cases(mode, dtype):
    values = st.lists(st.integers(0, 99), max_size=9).map(tuple)
    return values.map(lambda listed: call(mode, dtype, listed))


OPERATOR = Operator(
    name="broken",
    title="Broken",
    aclnn="aclnnBroken",
    sources=("toy document",),
    products=("toy",),
    parameters=(TensorParameter("x", "x", "input"), TensorParameter("y", "y", "output")),
    modes=(Mode("plain", RULE), Mode("careful", RULE)),
    dtypes=("int32", "int64"),
    formula=formula,
    contracts={"y": Own(RULE) if HOW in ("judge", "bundle") else Copy(RULE)},
    cases=cases,
)
