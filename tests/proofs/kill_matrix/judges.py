"""Who judges: this suite under two contracts, and every published standard that is here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.judge.question import Question
from conformance.judge.sums import judge_sum
from conformance.numerics.order import sequential
from conformance.standards import STANDARDS
from reference.floats import numpy_dtype
from tests.proofs.kill_matrix.mistakes import Mistake
from tests.proofs.kill_matrix.problem import (
    CONTRACT,
    Problem,
    drawn_by,
    gaussian_specials,
    gaussian_values,
    our_values,
    specials_of,
)

ANY_ORDER = replace(CONTRACT, merges=None, order_clause=None)


@dataclass(frozen=True)
class Judge:
    """``rejects(problem, bits)``: True, False, or None where the judge does not speak.

    ``values`` makes the data that the judge asks for, ``specials`` that for mistakes with NaN and
    infinities (None: ``values`` has some). ``promised``: the order counts.
    """

    name: str
    rejects: Callable[[Problem, np.ndarray], bool | None]
    values: Callable[..., np.ndarray]
    promised: bool = False
    ours: bool = False
    specials: Callable[..., np.ndarray] | None = None

    def data(self, mistake: Mistake) -> Callable[..., np.ndarray]:
        """What makes the data on which the judge meets a mistake."""
        return self.specials if mistake.special and self.specials else self.values


def by_contract(contract):
    def rejects(problem: Problem, bits: np.ndarray) -> bool:
        observed = bits.view(numpy_dtype(problem.storage))
        question = Question("grad_x", contract, problem.case, observed, OPERATOR.formula)
        return not judge_sum(question).ok

    return rejects


def by_standard(standard):
    def rejects(problem: Problem, bits: np.ndarray) -> bool | None:
        dtype = numpy_dtype(problem.storage)
        benchmark = problem.right(sequential(problem.rows.shape[1])).view(dtype)
        found = standard.judge(bits.view(dtype), problem.golden, benchmark, problem.dtype)
        return None if found.ruling.name == "SILENT" else not found.ok

    return rejects


OURS = (
    Judge("ours, promised order", by_contract(CONTRACT), our_values, promised=True, ours=True),
    Judge("ours, any order", by_contract(ANY_ORDER), our_values, ours=True),
)


def published() -> tuple[Judge, ...]:
    """The standards, each on the data that it prescribes, else on plain normal values.

    The special values are those that a standard lists, else some among normal values.
    """
    return tuple(
        Judge(
            name,
            by_standard(standard),
            drawn_by(standard.data) if standard.data else gaussian_values,
            specials=specials_of(standard.data)
            if standard.data and standard.data.special
            else gaussian_specials,
        )
        for name, standard in STANDARDS.items()
    )
