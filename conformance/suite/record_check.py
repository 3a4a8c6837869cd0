"""Is a record right, and is it strong enough? Looked at without a kernel, for its author.

Examples and drawn cases are legal calls on which formula, terms and declared order agree, and the
reference's own answer is accepted. Weak is a record whose cases never reach what kernels get wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.catalogue import check as say
from conformance.devices.call import call_of
from conformance.draw.seeded import of_seed_alone, stream_seed
from conformance.errors import text_of
from conformance.judge.agreement import ReferenceDisagreement, check
from conformance.judge.broken import with_place
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.right_answer import right_answer
from conformance.judge.verdict import Verdict
from conformance.record.operator import Example, Operator, Rejection
from conformance.suite.record_weakness import weaknesses


@dataclass
class Checked:
    """How much was looked at of a record; what is wrong, by its name; where it is weak."""

    operator: str
    examples: int
    rejections: int
    cases: int = 0
    problems: dict[str, str] = field(default_factory=dict)
    weak: list[str] = field(default_factory=list)


class _ProblemError(Exception):
    """Ends the search for a smaller case of a problem."""


def checked(operator: Operator, draws: int) -> Checked:
    """The check of a record; ``draws`` cases of each mode, data type and strategy."""
    found = Checked(operator.name, len(operator.examples), len(operator.rejections))
    for example in operator.examples:
        _note(found, say.AN_EXAMPLE(name=example.name), _of_example(operator, example))
    for rejection in operator.rejections:
        _note(found, say.A_REJECTION(name=rejection.name), _of_rejection(operator, rejection))
    cases: list[Case] = []
    for name, strategy in _strategies(operator):
        _note(found, name, _of_draws(operator, strategy, name, draws, cases.append))
    found.cases = len({case.key for case in cases})
    found.weak = list(weaknesses(operator, cases))
    return found


def _note(found: Checked, name: str, problem: str) -> None:
    if problem:
        found.problems[name] = problem


def _of_example(operator: Operator, example: Example) -> str:
    def judged(case: Case) -> Verdict:
        return judge_example(example, operator, right_answer(operator, case))

    return _problem(operator, example.case, judged)


def _problem(operator: Operator, case: Case, judged: Callable[[Case], Verdict]) -> str:
    """What is wrong with a case of the record, "" if it is right.

    An answer may be added in another order than the promised one, which a formula need not have.
    """
    try:
        check_call(case, operator)
        call_of(operator, case)
        if any(tensor.rows is not None for tensor in case.inputs.values()):
            return ""  # plain numpy would fill the rows that do not exist
        check(operator, case)
        verdict = judged(case)
    except Exception as error:
        return _of_error(error)
    only_drift = [one for one in verdict.outputs.values() if one.order_drift and not one.mismatches]
    return "" if verdict.ok or only_drift else verdict.text


def _of_rejection(operator: Operator, rejection: Rejection) -> str:
    try:
        check_shape_and_data(rejection.case)
        call_of(operator, rejection.case)
    except (IllegalCase, ValueError) as error:
        return text_of(error)
    return ""


def _of_error(error: Exception) -> str:
    """What an error says; of one that the suite does not know, where it was raised, too."""
    known = isinstance(error, IllegalCase | ReferenceDisagreement)
    return text_of(error) if known else with_place(error)


def _strategies(operator: Operator) -> Iterator[tuple[str, SearchStrategy[Case]]]:
    made = {"": operator.cases, "small": operator.small_cases, "seams": operator.seam_cases}
    for mode, dtype in operator.declared_cells:
        for stream, cases in made.items():
            if cases is not None:
                name = say.A_DRAW(mode=mode, dtype=dtype, stream=stream or "cases")
                yield name, cases(mode, dtype)


def _of_draws(
    operator: Operator,
    strategy: SearchStrategy[Case],
    name: str,
    draws: int,
    keep: Callable[[Case], None],
) -> str:
    """What is wrong with the smallest drawn case of which something is."""
    last = ""

    def judged(case: Case) -> Verdict:
        return judge(operator, case, right_answer(operator, case))

    @seed(stream_seed(operator.name, name))
    @settings(
        max_examples=draws,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(case=strategy)
    def drawn(case: Case) -> None:
        nonlocal last
        keep(case)
        if problem := _problem(operator, case, judged):
            last = problem + "\n" + case.text
            raise _ProblemError

    try:
        with of_seed_alone():
            drawn()
    except _ProblemError:
        return last
    except Exception as error:
        return say.FAILED_TO_DRAW(error=with_place(error))
    return ""
