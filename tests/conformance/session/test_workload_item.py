"""Items of workloads: every batch is judged, and a refusal is followed down to fewest tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from conformance.call.case import Case, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.draw.batches import batches
from conformance.draw.profiles import PROFILES
from conformance.judge.verdict import Verdict
from conformance.record.workload import Batch, Workload
from conformance.session.binding import OfRun, bind
from conformance.session.search_budget import SearchBudget
from conformance.session.template import Asked, item_ids, parametrize, record
from conformance.session.trial import Refused, Trial
from tests.conformance.toy.records.copying import OPERATOR

MODEL = Workload(
    name="mine",
    model="A model",
    source="https://example.org",
    experts=8,
    top_k=2,
    hidden=64,
    decode=(1, 48),
    prefill=(100,),
)
TWIN = Workload(
    name="twin",
    model="Twin",
    source="https://example.org",
    experts=4,
    top_k=1,
    hidden=8,
    decode=(1,),
)


def cases_of(dtype: str, batch: Batch) -> st.SearchStrategy[Case]:
    sizes = {"tokens": batch.tokens, "columns": batch.columns}
    return st.just(Case(OPERATOR.name, "plain", dtype, sizes, {"x": Tensor((1,), "int32")}, {}))


RECORD = replace(OPERATOR, workload_cases=cases_of)


def run(
    wrong: Callable[[int, int], bool], *, asked: bool = False
) -> tuple[Trial, list[tuple[int, int]]]:
    """A whole item on a device that errs at some sizes; its trial, and the sizes that it judged."""
    judged: list[tuple[int, int]] = []

    def body(operator: object, workload: object, case: Case) -> None:
        tokens, columns = case.attributes["tokens"], case.attributes["columns"]
        judged.append((tokens, columns))
        verdict = Verdict(not wrong(tokens, columns), "x is wrong.")
        record(verdict, case, Observation(Outcome.COMPLETED))

    trial = Trial(lambda *_: None, SearchBudget(60))
    item = {"operator": RECORD, "workload": MODEL}
    of_run = OfRun(PROFILES["smoke"], seed=1, workloads=(MODEL, TWIN), workloads_asked=asked)
    made = bind(body, item, trial, of_run, "x").free
    try:
        made(**item)
    except Refused:
        assert trial.smallest is not None
    return trial, judged


def test_every_batch_is_judged_once() -> None:
    trial, judged = run(lambda *_: False)
    assert trial.smallest is None
    due = batches(MODEL, (MODEL, TWIN), 0, 1)
    assert judged == [(batch.tokens, batch.columns) for batch in due]
    assert judged[:2] == [(1, 16), (48, 16)]


def test_who_asks_for_a_model_gets_its_full_rows() -> None:
    _, judged = run(lambda *_: False, asked=True)
    assert judged == [(1, 64), (48, 64), (100, 16)] * 3


def test_a_refusal_is_followed_down_to_the_fewest_tokens_and_columns() -> None:
    trial, _ = run(lambda tokens, _: tokens > 10)
    assert trial.smallest is not None
    assert trial.smallest.case.attributes == {"tokens": 16, "columns": 1}
    assert trial.noted == "workload A model: 16 tokens of 1 column, one hot over 8 experts"


def test_columns_that_matter_stay() -> None:
    trial, _ = run(lambda tokens, columns: tokens > 10 and columns > 1)
    assert trial.smallest is not None
    assert trial.smallest.case.attributes == {"tokens": 16, "columns": 16}


def test_a_batch_below_which_nothing_is_refused_stands() -> None:
    trial, _ = run(lambda tokens, _: tokens == 48)
    assert trial.smallest is not None
    assert trial.smallest.case.attributes == {"tokens": 48, "columns": 1}


def test_items_are_those_of_records_with_calls_and_nothing_else_if_asked() -> None:
    def template(operator: object, workload: object, case: Case) -> None:
        """Judges nothing."""

    def values(operator: object, mode: str, dtype: str, case: Case) -> None:
        """Judges nothing."""

    both = (MODEL, TWIN)
    mark = parametrize(template, [RECORD, OPERATOR], Asked(workloads=both))
    assert mark is not None
    assert mark.kwargs["ids"] == [f"{RECORD.name}-mine", f"{RECORD.name}-twin"]
    assert {*mark.kwargs["ids"]} <= item_ids([RECORD], both)
    assert parametrize(values, [RECORD], Asked(workloads=both, stand_alone=True)) is None
    assert parametrize(template, [RECORD], Asked(workloads=both, stand_alone=True)) is not None
    assert parametrize(template, [OPERATOR], Asked(workloads=both)) is None
