"""A record on a route: what cannot be called there is not asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.errors import UsageError
from conformance.judge.calls import judge
from conformance.judge.legality import IllegalCase, check_call
from conformance.judge.relate import related
from conformance.record.operator import ROUTES, TWO_PHASE, Example, Mode, Operator, Quarantine
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.record.torch_binding import TORCH_NPU, Binding, Unreached
from conformance.suite.on_route import on_it, on_route, reachable, why_not
from conformance.text.records import operator_lines
from tests.conformance.segment_sum import SUM, operator, refusal, whole

BOUND = Binding("npu_segment_sum", lambda case: {}, ("out",), (SUM,))
INNER = replace(whole(), mode="inner")
RECORD = operator(
    modes=(Mode("plain", SUM), Mode("inner", SUM, routes=("kernel",))),
    examples=(Example("plain", whole(), "x"), Example("inner", INNER, "x")),
    rejections=(
        refusal(),
        replace(refusal(), name="inner", case=INNER),
        replace(refusal(), name="outer", routes=("aclnn",)),
    ),
    quarantine=(
        Quarantine("plain", whole(), SUM),
        Quarantine("inner", INNER, SUM),
        Quarantine("inner, where nobody says what it is", INNER, SUM, routes=("aclnn",)),
    ),
)


def named(*things: object) -> list[list[str]]:
    return [[one.name for one in group] for group in things]  # type: ignore[attr-defined]


def test_a_mode_of_another_route_is_gone_with_its_calls() -> None:
    outer = on_route(RECORD, "aclnn")
    assert named(outer.modes, outer.examples, outer.rejections) == [
        ["plain"],
        ["plain"],
        ["negative_top_k", "outer"],
    ]


def test_a_mode_may_have_some_of_the_data_types_alone() -> None:
    one = operator(modes=(Mode("plain", SUM), Mode("few", SUM, dtypes=("float32",))))
    assert one.declared_cells == (*(("plain", dtype) for dtype in one.dtypes), ("few", "float32"))
    assert one.dtypes_in("few") == ("float32",)
    check_call(whole("float16"), one)
    with pytest.raises(IllegalCase, match=r"dtype.*float16.*float32"):
        check_call(replace(whole("float16"), mode="few"), one)
    assert f"  mode       few (in float32 only): {SUM.text}" in "\n".join(operator_lines(one))


def test_a_rejection_of_another_route_is_gone() -> None:
    inner = on_route(RECORD, "kernel")
    assert named(inner.modes, inner.examples, inner.rejections) == [
        ["plain", "inner"],
        ["plain", "inner"],
        ["negative_top_k", "inner"],
    ]


def test_a_route_may_refuse_a_call_of_a_mode_that_it_lacks() -> None:
    refused = replace(refusal(), name="inner, refused outside", case=INNER, routes=("aclnn",))
    record = replace(RECORD, rejections=(refused,))
    outer, inner = (named(on_route(record, route).rejections)[0] for route in TWO_PHASE)
    assert outer == ["inner, refused outside"]
    assert inner == []


def test_a_call_in_quarantine_is_made_where_its_mode_can_be_called_or_where_it_says() -> None:
    outer, inner = (named(on_route(RECORD, route).quarantine)[0] for route in TWO_PHASE)
    assert outer == ["plain", "inner, where nobody says what it is"]
    assert inner == ["plain", "inner"]


def test_each_route_has_its_own_function() -> None:
    bound = replace(RECORD, torch_npu=BOUND)
    assert [bound.symbol(route) for route in ROUTES] == [
        RECORD.aclnn,
        f"kernel{RECORD.title}",
        "npu_segment_sum",
        "segment_sum",
    ]
    told = "\n".join(operator_lines(bound))
    assert (
        f"called as  {RECORD.aclnn} (route aclnn), kernel{RECORD.title} (route kernel), "
        "torch_npu.npu_segment_sum (route torch_npu)"
    ) in told
    assert "torch_npu  y[r]" in told


def test_what_torch_npu_does_not_reach_has_nothing_on_its_route_and_says_why() -> None:
    lost = replace(RECORD, torch_npu=Unreached("nobody calls it"))
    assert on_route(lost, TORCH_NPU).modes == ()
    assert why_not(lost, TORCH_NPU) == "nobody calls it"
    assert reachable([lost], "aclnn") == (lost,)
    assert reachable([lost, replace(RECORD, torch_npu=BOUND)], TORCH_NPU) != ()
    assert "torch_npu  not reachable: nobody calls it" in "\n".join(operator_lines(lost))
    with pytest.raises(UsageError, match="it is not reachable on route torch_npu: nobody calls it"):
        reachable([lost], TORCH_NPU, [lost.name])


def test_a_relation_with_an_operator_that_is_not_reached_is_left_out() -> None:
    away = replace(RECORD, name="away", torch_npu=Unreached("nobody calls it"))
    laws = tuple(
        Relation(name, SUM, lambda case, outputs, run: (), beside=beside)
        for name, beside in (("alone", ()), ("with one away", ("away",)))
    )
    bound = replace(RECORD, torch_npu=BOUND, relations=laws)
    records = {one.name: one for one in (away, bound)}
    assert named(on_it(bound, records, TORCH_NPU).relations) == [["alone"]]
    assert named(on_it(bound, records, "aclnn").relations) == [["alone", "with one away"]]


def test_a_relation_says_nothing_of_a_case_of_which_a_call_cannot_be_made() -> None:
    cannot = replace(BOUND, unreached=lambda case: "no such parameter")
    through = on_route(replace(RECORD, torch_npu=cannot), TORCH_NPU)
    law = Relation("law", SUM, lambda case, outputs, run: ())
    left_out = Observation(Outcome.NOT_POSSIBLE, message="no such parameter")
    _, verdict = related(law, {through.name: through}, whole(), lambda operator, case: left_out)
    assert verdict.ok
    assert not verdict.judged
    _, elsewhere = related(law, {RECORD.name: RECORD}, whole(), lambda operator, case: left_out)
    assert not elsewhere.ok


def test_a_law_speaks_of_no_element_of_which_nothing_is_promised() -> None:
    case = whole(columns=4)
    shape = case.outputs["y"].shape

    def first_row(inputs: object, attributes: object) -> NDArray[np.bool_]:
        return np.arange(shape[0])[:, None] == 0

    stale = iter((1, 2))

    def observe(operator: Operator, asked: Case) -> Observation:
        held = np.full(shape, next(stale), np.float16)
        held[0] = 7
        return Observation(Outcome.COMPLETED, outputs={"y": held}, unwritten={"y": 0})

    def twice(asked: Case, outputs: Outputs, run: Run) -> Iterator[str]:
        yield from difference("y", run(asked)["y"], outputs["y"], "before")

    law = Relation("the same twice", SUM, twice)
    silent = replace(RECORD.contracts["y"], specified=first_row)
    for contract, holds in ((silent, True), (RECORD.contracts["y"], False)):
        record = replace(RECORD, contracts={"y": contract})
        stale = iter((1, 2))
        assert related(law, {record.name: record}, case, observe)[1].ok == holds


def test_of_refused_calls_only_those_are_made_through_torch_npu_that_name_it() -> None:
    named_it = replace(refusal(), name="through PyTorch", routes=(TORCH_NPU,))
    bound = replace(RECORD, torch_npu=BOUND, rejections=(*RECORD.rejections, named_it))
    through = on_route(bound, TORCH_NPU)
    assert named(through.rejections, through.quarantine) == [["through PyTorch"], []]
    assert "through PyTorch" not in named(on_route(bound, "aclnn").rejections)[0]


def test_a_call_that_torch_npu_cannot_express_is_not_possible_there_and_judged_elsewhere() -> None:
    cannot = replace(BOUND, unreached=lambda case: "no such parameter")
    through = on_route(replace(RECORD, torch_npu=cannot), TORCH_NPU)
    assert through.unreached is not None
    assert through.unreached(whole()) == "no such parameter"
    left_out = Observation(Outcome.NOT_POSSIBLE, message="no such parameter")
    assert judge(through, whole(), left_out).judged is False
    assert not judge(RECORD, whole(), left_out).ok


def test_a_record_that_names_no_route_is_the_same_on_each() -> None:
    record = operator(rejections=(refusal(),))
    assert on_route(record, "aclnn") is record


def test_the_listing_says_on_which_route_a_mode_is_called() -> None:
    told = "\n".join(operator_lines(RECORD))
    assert "mode       plain: y[r]" in told
    assert "mode       inner (on route kernel only): y[r]" in told
