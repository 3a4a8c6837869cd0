"""Summed outputs judged by published standards, beside the suite's own verdict.

The golden is the operator's formula in float64; the benchmark is the formula in float32, rounded
once to the output's dtype, as a CPU library computes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from conformance.call.case import Case, Tensor, numpy_dtype
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import by_standard as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.catalogue.verdict import SENTENCE
from conformance.errors import UsageError, choice
from conformance.judge.headline import unended
from conformance.judge.verdict import Verdict
from conformance.record.contract import Arrays, Sum, Varying
from conformance.record.operator import Operator
from conformance.standards import STANDARDS, Kind, Ruling, Standard, StandardVerdict
from conformance.standards.comparison import compare
from conformance.values.fill import Fill
from conformance.values.prescribed import prescribed_family
from reference.floats import format_of, to_bits

OURS = "this suite"
"""Its own verdict's name among those of the standards."""

RULES = {
    Ruling.REJECTS: say.REJECTS,
    Ruling.INVESTIGATE: say.INVESTIGATE,
    Ruling.SILENT: say.SAYS_NOTHING,
}
"""What is said of a ruling that does not accept."""

SEVEREST = (Ruling.REJECTS, Ruling.INVESTIGATE, Ruling.ACCEPTS, Ruling.SILENT)


@dataclass(frozen=True)
class ByStandard:
    """Which standards judge, by ``names``; ``gate`` is the one that may also refuse a case."""

    names: tuple[str, ...] = ()
    gate: str | None = None

    def reconsider(
        self, operator: Operator, case: Case, observation: Observation, verdict: Verdict
    ) -> Verdict:
        """The verdict with the rulings of the standards, refused where the gate does not accept."""
        if not self.names or observation.outcome is not Outcome.COMPLETED:
            return verdict
        standards = [STANDARDS[name] for name in self.names]
        told: dict[str, list[StandardVerdict]] = {name: [] for name in self.names}
        problems: list[str] = []
        for output, found in rulings(standards, operator, case, observation).items():
            for name, one in found.items():
                told[name].append(one)
                if name == self.gate and not one.ok:
                    problem = {"standard": name, "output": output, "sentence": one.sentence}
                    problems.append(RULES[one.ruling](**problem))
        own = Ruling.ACCEPTS if verdict.ok else Ruling.REJECTS
        severest = {name: severest_of(found) for name, found in told.items() if found}
        headline = verdict.headline
        if problems:
            headline = SENTENCE(what=row([unended(headline), *problems], SEMICOLON))
        return replace(
            verdict,
            ok=verdict.ok and not problems,
            headline=headline,
            standards={OURS: own.value} | {name: found.value for name, found in severest.items()},
        )

    @property
    def prescribes(self) -> bool:
        """Whether the gate draws the values of cases."""
        return self.gate is not None and STANDARDS[self.gate].data is not None

    def prescribe(self, case: Case) -> Case:
        """The case with its values as the gate prescribes them."""
        assert self.gate is not None
        inputs = {name: _prescribed(tensor, self.gate) for name, tensor in case.inputs.items()}
        return replace(case, inputs=inputs)

    @property
    def words(self) -> str:
        """What a person should know of the gate before the run."""
        if self.gate is None:
            return ""
        standard = STANDARDS[self.gate]
        data = say.DATA(words=standard.data_words) if standard.data else say.FORMULA_ONLY()
        return say.STANDARD(
            name=standard.name, version=standard.version, source=standard.source, data=data
        )


def by_standard(gate: str | None, every: bool, operators: Iterable[Operator]) -> ByStandard:
    """Raises UsageError for a gate that is no standard, or that says nothing of these operators."""
    operators = tuple(operators)
    if gate is None:
        return ByStandard(tuple(STANDARDS) if every else ())
    if gate not in STANDARDS:
        raise UsageError("standard", gate, choice(gate, STANDARDS))
    dtypes = {dtype for operator in operators for dtype in operator.dtypes}
    outside = sorted(dtypes - STANDARDS[gate].dtypes)
    if Kind.COMPUTED not in STANDARDS[gate].kinds or outside:
        silent = say.COMPUTED_FLOATS_OF(dtypes=outside) if outside else say.COMPUTED_FLOATS()
        raise UsageError("standard", gate, silent)
    if operators and not any(map(_adds, operators)):
        names = [operator.name for operator in operators]
        raise UsageError("standard", gate, say.NO_SUM(operators=names))
    return ByStandard(tuple(STANDARDS) if every else (gate,), gate)


def _adds(operator: Operator) -> bool:
    """Whether an output of the operator may be a sum."""
    declared = operator.contracts.values()
    each = (one.among.values() if isinstance(one, Varying) else (one,) for one in declared)
    return any(isinstance(contract, Sum) for some in each for contract in some)


def rulings(
    standards: Iterable[Standard], operator: Operator, case: Case, observation: Observation
) -> Mapping[str, Mapping[str, StandardVerdict]]:
    """What standards say of every summed output that came back in its shape and dtype."""
    chosen = tuple(standards)
    golden: Arrays | None = None
    benchmark: Arrays | None = None
    found: dict[str, Mapping[str, StandardVerdict]] = {}
    for name, declared in case.outputs.items():
        seen = observation.outputs.get(name)
        if not isinstance(operator.contract(name, case), Sum) or seen is None:
            continue
        if seen.shape != declared.shape or seen.dtype != numpy_dtype(declared.dtype):
            continue
        if golden is None or benchmark is None:
            golden, benchmark = _formula(operator, case, "f8"), _formula(operator, case, "f4")
        exact = np.asarray(golden[name], np.float64)
        comparison = compare(seen, exact, _stored(benchmark[name], seen.dtype))
        found[name] = {one.name: one.judge_comparison(comparison) for one in chosen}
    return found


def severest_of(found: Iterable[StandardVerdict]) -> Ruling:
    """The ruling on several outputs: the worst of them."""
    said = {verdict.ruling for verdict in found}
    return next(ruling for ruling in SEVEREST if ruling in said)


def _formula(operator: Operator, case: Case, wide: DTypeLike) -> Arrays:
    """The outputs of the operator's formula on inputs widened to a float dtype."""
    with np.errstate(all="ignore"):
        return operator.formula(case.widened(wide), case.attributes)


def _stored(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values rounded once to an output's dtype."""
    return to_bits(np.asarray(values, np.float32), format_of(dtype)).view(dtype)


def _prescribed(tensor: Tensor, standard: str) -> Tensor:
    if tensor.fill is None:
        return tensor
    family = prescribed_family(standard, tensor.fill.seed)
    return replace(tensor, fill=Fill((family,), tensor.fill.seed, tensor.fill.terms))
