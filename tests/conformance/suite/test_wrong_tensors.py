"""A tensor that is null, of another type or in another format, in each kind of a record's calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from conformance.call.case import Tensor
from conformance.devices.call import call_of
from conformance.devices.device import Device
from conformance.devices.messages import TensorArgument
from conformance.devices.open import Kernels, open_device
from conformance.failure.bundle.arguments import arguments_of
from conformance.failure.bundle.stored import Arrays
from conformance.failure.replay import Replay, load, save
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.rejections import judge_rejection
from conformance.record.call_rules import Unseen
from conformance.record.clause import document
from conformance.record.frozen import frozen_now, read, written
from conformance.record.operator import Example, Operator, Rejection
from conformance.record.torch_binding import TORCH_NPU
from conformance.record.variations import in_format, retyped, without
from conformance.session.template import left_out
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from conformance.suite.wrong_tensors import kinds, of_tensors
from tests.conformance.segment_sum import operator, whole

RECORDS = suite.records()
(GRAD,) = suite.chosen(RECORDS, ["moe_init_routing_v2_grad"])
RULE = document("each tensor has format ND", "segment_sum.md, Parameters")
EXAMPLE = Example("worked by hand", whole(), "segment_sum.md, Example")


def in_other_formats(record: Operator) -> list[Rejection]:
    """The calls of a record in which some tensor has another format."""
    return [one for one in record.rejections if "in format FRACTAL_NZ" in one.name]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with closing(open_device("sim", time_limit=10, kernels=Kernels(only=[GRAD.name]))) as opened:
        yield opened


def test_each_tensor_of_a_documented_call_is_null_of_another_type_and_in_another_format() -> None:
    made = {one.name: one for one in of_tensors(operator(each_tensor=RULE, examples=(EXAMPLE,)))}
    expected = {
        f"{name} {wrong}, plain": (case, status)
        for name in ("x", "rows", "y")
        for wrong, case, status in (
            ("is null", without(whole(), name), 161001),
            ("of uint64", retyped(whole(), name, "uint64"), 161002),
            ("in format FRACTAL_NZ", in_format(whole(), name, "FRACTAL_NZ"), 161002),
        )
    }
    assert {name: (one.case, one.status) for name, one in made.items()} == expected
    assert {(one.clause, one.routes) for one in made.values()} == {(RULE, ())}
    on_npu = {name for name, one in made.items() if one.checked_by_cann}
    assert on_npu == {name for name in expected if "format" not in name}


def test_what_a_rule_of_the_record_leaves_open_on_cann_is_not_asked_of_it() -> None:
    (warned,) = suite.chosen(RECORDS, ["moe_token_unpermute_with_routing_map"])
    made = {one.name: one for one in warned.rejections}
    assert not made["routing_map of uint64, dropless_probs"].checked_by_cann
    assert made["probs of uint64, dropless_probs"].checked_by_cann
    assert made["sorted_indices is null, dropless_probs"].checked_by_cann


def test_a_kind_is_a_mode_with_its_optional_tensors_and_the_empty_ones() -> None:
    nothing = {name: replace(one, shape=(0, 36)) for name, one in whole().outputs.items()}
    idle = replace(EXAMPLE, case=replace(whole(), outputs=nothing))
    no_rows = {**whole().inputs, "rows": replace(whole().inputs["rows"], shape=(0,), values=())}
    no_row = replace(EXAMPLE, case=replace(whole(), inputs=no_rows))
    bare = replace(EXAMPLE, case=without(whole(), "rows"))
    x, rows, *others = operator().parameters
    record = operator(
        each_tensor=RULE,
        examples=(EXAMPLE, EXAMPLE, idle, no_row, bare),
        parameters=(x, replace(rows, optional=True), *others),
    )
    no_result = f"plain, {', '.join(nothing)} empty"
    assert list(kinds(record)) == ["plain", no_result, "plain, rows empty", "plain, without rows"]
    made = {one.name: one for one in of_tensors(record)}
    assert "rows is null, plain" not in made
    for kind, case in ((no_result, idle.case), ("plain, rows empty", no_row.case)):
        wrong = made[f"x in format FRACTAL_NZ, {kind}"]
        assert wrong.case == in_format(case, "x", "FRACTAL_NZ")
    assert not made[f"x of uint64, {no_result}"].checked_by_cann
    assert made["x of uint64, plain, rows empty"].checked_by_cann


def test_a_tensor_that_no_check_looks_at_without_another_may_be_wrong_there() -> None:
    x, rows, *others = operator().parameters
    record = operator(
        each_tensor=RULE,
        examples=(replace(EXAMPLE, case=without(whole(), "rows")),),
        parameters=(x, replace(rows, optional=True), *others),
        freedoms=(Unseen("y", "rows", RULE),),
    )
    assert {one.name.partition(",")[0] for one in of_tensors(record)} == {
        "x is null",
        "x of uint64",
        "x in format FRACTAL_NZ",
        "y is null",
    }


def test_what_the_record_refuses_itself_is_not_made_again() -> None:
    own = Rejection("no rows", without(whole(), "rows"), 161001, RULE)
    made = of_tensors(operator(each_tensor=RULE, examples=(EXAMPLE,), rejections=(own,)))
    assert "rows is null, plain" not in [one.name for one in made]


def test_nothing_is_refused_of_which_nothing_is_said() -> None:
    assert of_tensors(operator(examples=(EXAMPLE,))) == ()
    assert of_tensors(operator(each_tensor=RULE)) == ()


def test_a_format_is_said_where_a_tensor_is_printed_and_is_part_of_the_digest() -> None:
    turned = in_format(whole(), "x", "FRACTAL_NZ")
    assert " in format FRACTAL_NZ" in turned.inputs["x"].described
    assert " in format" not in repr(whole())
    assert "x: float16[6x36] in format FRACTAL_NZ = [" in repr(turned)
    assert turned.digest != whole().digest


def test_a_call_in_another_format_is_none_to_carry_out() -> None:
    turned = in_format(whole(), "x", "FRACTAL_NZ")
    check_shape_and_data(turned)
    with pytest.raises(IllegalCase, match=r"x\.format is FRACTAL_NZ; it must be ND"):
        check_call(turned, operator())
    unknown = in_format(whole(), "x", "NC9HWC9")
    with pytest.raises(
        IllegalCase, match=r"x\.format is NC9HWC9; it must be one of ND, FRACTAL_NZ"
    ):
        check_shape_and_data(unknown)


def test_the_format_reaches_the_call_a_bundle_and_a_saved_case(tmp_path: Path) -> None:
    for one in in_other_formats(GRAD):
        (name,) = (
            key
            for key, tensor in {**one.case.inputs, **one.case.outputs}.items()
            if tensor.format != "ND"
        )
        for route in ("aclnn", "kernel"):
            tensors = call_of(GRAD, one.case, route).tensors
            assert {told.name: told.format for told in tensors} == {
                told.name: 29 if told.name == name else 2 for told in tensors
            }
        arguments, _ = arguments_of(one.case, GRAD, "aclnn", Arrays())
        kept = {told.name: told.format for told in arguments if told.kind == "tensor"}
        assert kept == {told.name: told.format for told in tensors}
        save(Replay(one.case, "rejection", one.name), tmp_path / "case.json")
        assert load(tmp_path / "case.json").case.digest == one.case.digest


def test_a_frozen_case_says_a_format_where_it_is_another() -> None:
    case = in_other_formats(GRAD)[0].case
    for kept in (case, in_format(case, "grad_expanded_x", "ND")):
        frozen = frozen_now("kept", kept, "regression")
        told = msgspec.json.encode(written(frozen))
        assert (b"format" in told) == (kept is case)
        assert read(told, "regression", GRAD.name).case.digest == kept.digest


def test_pytorch_gives_no_format() -> None:
    (record,) = suite.chosen(RECORDS, ["moe_token_permute"])
    calls = in_other_formats(record)
    assert {one.name.partition(" ")[0] for one in calls} == {one.name for one in record.tensors}
    assert not in_other_formats(on_route(record, TORCH_NPU))
    with pytest.raises(ValueError, match="FRACTAL_NZ: route torch_npu knows ND alone"):
        call_of(record, calls[0].case, TORCH_NPU)


def test_an_unknown_format_is_no_call() -> None:
    with pytest.raises(ValueError, match="'grad_expanded_x' has format 'NC9HWC9': no aclFormat"):
        call_of(GRAD, in_format(GRAD.examples[0].case, "grad_expanded_x", "NC9HWC9"))


@pytest.mark.parametrize("route", ["aclnn", "kernel"])
def test_each_is_refused_with_its_status(device: Device, route: str) -> None:
    calls = in_other_formats(on_route(GRAD, route))
    assert len(calls) == 3 * len(kinds(GRAD))
    for one in calls:
        verdict = judge_rejection(one, device.run(GRAD, one.case))
        assert verdict.ok, verdict


def test_a_call_that_is_carried_out_is_told_with_the_format(device: Device) -> None:
    one = in_other_formats(GRAD)[0]
    verdict = judge_rejection(one, device.run(GRAD, in_format(one.case, "grad_expanded_x", "ND")))
    assert "the call was carried out, it must be rejected with status 161002" in verdict.headline
    assert "in format FRACTAL_NZ" in str(verdict.subject)


def test_it_is_made_neither_on_an_npu_nor_on_a_device_of_a_plugin(device: Device) -> None:
    for changed in ({"kind": "npu"}, {"origin": None}):

        class Other:
            profile = replace(device.profile, **changed)  # type: ignore[arg-type]

        assert all(left_out(one, Other()) for one in in_other_formats(GRAD))  # type: ignore[arg-type]
    assert not any(left_out(one, device) for one in in_other_formats(GRAD))


def test_a_tensor_argument_has_format_nd_unless_it_says_another() -> None:
    assert Tensor((1,), "int32").format == "ND"
    assert TensorArgument("x", "input", (1,), "int32", 0).format == 2
