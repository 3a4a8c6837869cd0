"""The judge of documented calls: as any call, and by the values that the document gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import numpy_dtype
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import verdict as say
from conformance.judge.calls import judge
from conformance.judge.effects import shape_misfit
from conformance.judge.headline import failed
from conformance.judge.verdict import Verdict
from conformance.judge.worst import show
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import Example, Operator
from reference.floats import format_of, round_once, to_bits


def judge_example(
    example: Example, operator: Operator, observation: Observation, arithmetic: Arithmetic = IEEE
) -> Verdict:
    """Judge a documented call: as any call, and by the values that the document prints or implies.

    Expected values are rounded once to the output's dtype and compared bit for bit.
    """
    verdict = judge(operator, example.case, observation, arithmetic)
    if observation.outcome is not Outcome.COMPLETED or example.expected is None:
        return verdict
    problems: list[str] = []
    details: list[str] = []
    for name, printed in example.expected.items():
        if shape_misfit(example.case, name, observation):
            continue  # the verdict says so already
        seen = np.ascontiguousarray(observation.outputs[name])
        expected = printed_bits(example, name, printed)
        observed = seen.reshape(-1).view(expected.dtype)
        wrong = np.flatnonzero(observed != expected)
        if wrong.size:
            first = int(wrong[0])
            position = ", ".join(str(int(i)) for i in np.unravel_index(first, seen.shape))
            told = say.NOT_AS_DOCUMENTED(count=wrong.size, size=seen.size, output=name)
            problems.append(told)
            due, found = (_shown(int(bits[first]), seen.dtype) for bits in (expected, observed))
            details.append(say.DUE(place=f"{name}[{position}]", seen=found, due=due))
    if not problems:
        return verdict
    return Verdict(
        ok=False,
        headline=failed((example.case.operator, example.name), problems),
        outputs=verdict.outputs,
        findings=(*details, *(() if verdict.ok else (verdict.headline, *verdict.findings))),
        clause=Clause(say.AS_ITS_SOURCE_GIVES(), example.source, SourceClass.DOCUMENT),
        subject=verdict.subject,
    )


def printed_bits(example: Example, name: str, printed: tuple[float, ...]) -> NDArray[Any]:
    """Printed values as bits of the output's dtype."""
    tensor = example.case.outputs[name]
    if len(printed) != tensor.size:
        raise ValueError(
            f"expected[{name!r}] of example {example.name}: {len(printed)} values,"
            f" must be {tensor.size}, the elements of the output"
        )
    dtype = numpy_dtype(tensor.dtype)
    if dtype.kind in "iub":
        return np.array(printed, dtype)
    fmt = format_of(dtype)
    return to_bits(round_once(np.array(printed, np.float64), fmt), fmt)


def _shown(bits: int, dtype: np.dtype[Any]) -> str:
    """A value with its bits, or an integer."""
    return str(bits) if dtype.kind in "iub" else show(bits, format_of(dtype))
