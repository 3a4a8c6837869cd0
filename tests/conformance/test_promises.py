"""What a call is promised may depend on the call; some outputs are promised nothing."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import NoReturn

import numpy as np
import pytest
from msgspec.structs import replace as replace_in

from conformance.call.case import Case, Tensor
from conformance.call.findings import ending
from conformance.call.observation import Diagnostic, GuardDamage, Observation, Outcome
from conformance.evidence.summary import Evidence, observed, summarize
from conformance.judge.calls import judge
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.quarantined import observe_quarantined
from conformance.record.clause import document
from conformance.record.contract import Unspecified, Varying
from conformance.record.operator import Operator, Quarantine, Rejection, TensorParameter
from conformance.session.template import left_out
from conformance.text.records import operator_lines
from conformance.text.terminal import observed_lines
from conformance.values.fill import Fill
from tests.conformance.evidence.test_summary import line as verdict_line
from tests.conformance.segment_sum import observe, operator, right, whole

NOTHING = Unspecified(document("nobody says what y holds", "toy document"))
IN_ORDER = operator().contracts["y"]
ANY_ORDER = operator(merges=None).contracts["y"]


def varying() -> Operator:
    """y adds in order on float16, in any order on bfloat16, and holds anything on float32."""
    among = {"in order": IN_ORDER, "any order": ANY_ORDER, "anything": NOTHING}
    names = dict(zip(("float16", "bfloat16", "float32"), among, strict=True))
    return replace(operator(), contracts={"y": Varying(lambda case: names[case.dtype], among)})


def test_a_contract_follows_from_the_call() -> None:
    steps = {"float16": "declared order", "bfloat16": "certificate", "float32": "unspecified"}
    for dtype, step in steps.items():
        made = whole(dtype)
        verdict = judge(varying(), made, observe(right(made)))
        assert verdict.ok, verdict
        assert verdict.outputs["y"].step == step


def test_an_unspecified_output_may_hold_anything_written_or_not() -> None:
    made = whole("float32")
    wrong = observe(right(made) + 1)
    assert judge(varying(), made, wrong).ok
    assert not judge(varying(), whole("float16"), observe(right(whole("float16")) + 1)).ok
    unwritten = replace(wrong, unwritten={"y": 3})
    verdict = judge(varying(), made, unwritten)
    assert verdict.ok
    assert verdict.headline.endswith("accepted; y: unspecified.")


def test_an_unspecified_output_keeps_its_shape_and_its_guard_zones() -> None:
    made = whole("float32")
    damaged = replace(observe(right(made)), guard_damage=(GuardDamage("y", -4, 4),))
    assert not judge(varying(), made, damaged).ok
    assert not judge(varying(), made, observe(right(made)[:1])).ok


def test_a_contract_that_is_not_there_is_a_mistake_of_the_record() -> None:
    lost = replace(operator(), contracts={"y": Varying(lambda case: "lost", {"found": NOTHING})})
    with pytest.raises(ValueError, match="y has none called 'lost'; known: found"):
        judge(lost, whole(), observe(right(whole())))


def test_the_listing_names_every_contract_of_an_output() -> None:
    lines = [line.strip() for line in operator_lines(varying()) if "y (" in line]
    assert [line.split("(")[1].split(")")[0] for line in lines if "contract" in line] == [
        "in order",
        "any order",
        "anything",
    ]


def optional(case: Case) -> tuple[Operator, Case]:
    """The operator with a further input and output that a call may leave out."""
    more = (
        TensorParameter("mask", "mask", "input", ("int8", "bool"), optional=True),
        TensorParameter("rest", "rest", "output", "int8", optional=True),
    )
    known = operator()
    parameters = (*known.parameters, *more)
    contracts = {**known.contracts, "rest": NOTHING}
    return replace(known, parameters=parameters, contracts=contracts), case


@pytest.mark.parametrize("dtype", ["int8", "bool"])
def test_a_call_may_leave_optional_tensors_out_and_choose_a_dtype(dtype: str) -> None:
    known, case = optional(whole())
    check_call(case, known)
    mask = Tensor((3,), dtype, (1, 0, 1))
    both = replace(case, inputs={**case.inputs, "mask": mask}, outputs={**case.outputs})
    check_call(both, known)
    check_call(replace(both, outputs={**both.outputs, "rest": Tensor((2,), "int8")}), known)


def test_a_dtype_that_is_none_of_a_parameter_s_and_a_missing_tensor_are_told() -> None:
    known, case = optional(whole())
    mask = Tensor((3,), "int32", (1, 0, 1))
    with pytest.raises(IllegalCase, match=r"mask.dtype is int32; it must be int8 or bool"):
        check_call(replace(case, inputs={**case.inputs, "mask": mask}), known)
    with pytest.raises(IllegalCase, match="outputs is rest; it must be rest, y"):
        check_call(replace(case, outputs={}), known)


@pytest.mark.parametrize(
    ("strides", "text"),
    [
        ((1,), "one for each axis"),
        ((35, 1), "such that no two elements share a place"),
        ((36, 0), "such that no two elements share a place: only an input may be broadcast"),
        ((0, 1), "such that no two elements share a place: only an input may be broadcast"),
        ((-36, 1), "such that no two elements share a place"),
        ((2**40, 1), "at most"),
    ],
)
def test_strides_place_every_element_apart(strides: tuple[int, ...], text: str) -> None:
    made = whole()
    y = made.outputs["y"]
    assert y.shape == (4, 36)
    for fine in ((36, 1), (40, 1), (1, 4), (72, 2)):
        check_shape_and_data(replace(made, outputs={"y": replace(y, strides=fine)}))
    with pytest.raises(IllegalCase) as error:
        check_shape_and_data(replace(made, outputs={"y": replace(y, strides=strides)}))
    assert text in str(error.value)


def test_elements_of_a_broadcast_input_are_listed_as_one_value_and_all_read() -> None:
    made = whole()
    x = made.inputs["x"]
    fill = Fill(("lattice",), seed=1)
    shared = replace(x, values=None, fill=fill, strides=(0, 1), unread=())
    check_shape_and_data(replace(made, inputs={**made.inputs, "x": shared}))
    values = tuple(range(x.size))
    for wrong, text in (
        (replace(shared, fill=None, values=values), "x.values is unequal; it must be equal along"),
        (replace(shared, unread=(0,)), "none: broadcast rows share their places"),
        (replace(shared, strides=(-1, 1)), "unless a stride is 0"),
    ):
        with pytest.raises(IllegalCase) as error:
            check_shape_and_data(replace(made, inputs={**made.inputs, "x": wrong}))
        assert text in str(error.value)


@pytest.mark.parametrize(
    ("start", "spare", "text"),
    [
        (-1, 0, "y.start is -1; it must be 0 or more elements"),
        (0, -1, "y.spare is -1; it must be 0 or more elements"),
        (2**40, 0, "at most"),
        (0, 2**40, "at most"),
    ],
)
def test_a_storage_has_elements_before_and_behind_a_view_that_can_be_had(
    start: int, spare: int, text: str
) -> None:
    made = whole()
    fine = replace(made.outputs["y"], start=3, spare=1)
    check_shape_and_data(replace(made, outputs={"y": fine}))
    y = replace(made.outputs["y"], start=start, spare=spare)
    with pytest.raises(IllegalCase) as error:
        check_shape_and_data(replace(made, outputs={"y": y}))
    assert text in str(error.value)


QUARANTINED = Quarantine("sums", whole(), document("sources differ", "toy document"))


def test_a_quarantined_call_is_told_and_never_fails() -> None:
    answers = {
        "carried out as the contract says": observe(right(whole())),
        "144 elements of y are wrong": observe(right(whole()) + 1),
        "rejected in phase with status 561002": Observation(
            Outcome.REJECTED, status=561002, phase="phase"
        ),
        "crashed": Observation(Outcome.CRASHED, status=-11),
    }
    for told, answer in answers.items():
        verdict = observe_quarantined(QUARANTINED, operator(), answer)
        assert verdict.ok
        assert not verdict.judged
        assert told in verdict.headline, verdict.headline
        assert verdict.clause == QUARANTINED.clause
    assert "crashed" in ending(answers["crashed"])


def test_a_quarantined_call_may_lie_outside_of_what_the_reference_defines() -> None:
    strange = replace(QUARANTINED, case=replace(whole(), outputs={}))
    seen = replace(observe(right(whole())), outputs={"z": np.zeros(1)})
    verdict = observe_quarantined(strange, operator(), seen)
    assert verdict.ok


def test_where_the_reference_says_nothing_another_answer_is_told_otherwise() -> None:
    def silent(inputs: object, attributes: object) -> NoReturn:
        raise ValueError("nothing is said of it")

    record = operator(formula=silent)
    answers = [observe(right(whole()) + added) for added in (0, 0, 1)]
    told = [observe_quarantined(QUARANTINED, record, seen).headline for seen in answers]
    assert "of which the reference says nothing" in told[0]
    assert told[0] == told[1] != told[2]


def test_what_the_device_notes_of_a_quarantined_call_is_told_once() -> None:
    note = Diagnostic("index-unread", "note", "index -1 names no row")
    seen = replace(observe(right(whole())), diagnostics=(note, note))
    told = observe_quarantined(QUARANTINED, operator(), seen).headline
    assert told.count("; the device notes: index -1 names no row") == 1


@pytest.mark.parametrize(("kind", "checked"), [("npu", True), ("sim", False), ("sim", True)])
def test_a_call_that_must_be_refused_is_left_out_only_where_nothing_would_refuse_it(
    kind: str, checked: bool
) -> None:
    unchecked = Rejection("too long", whole(), 561002, QUARANTINED.clause, checked_by_cann=False)
    npu = SimpleNamespace(profile=SimpleNamespace(kind="npu"))
    assert left_out(unchecked, npu)
    there = SimpleNamespace(profile=SimpleNamespace(kind=kind))
    assert not left_out(replace(unchecked, checked_by_cann=checked), there)


def test_a_run_tells_what_became_of_quarantined_calls_and_counts_them_nowhere() -> None:
    line = replace_in(verdict_line("a", judged_as="quarantine"), headline="sums: refused")
    assert observed([line, line]) == ["sums: refused"]
    assert summarize([line], []) == []
    told = list(observed_lines(Evidence(observed=["sums: refused"])))
    assert told == ["in quarantine, not judged: sums: refused"]
