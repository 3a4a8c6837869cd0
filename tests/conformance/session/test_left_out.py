"""What a run was asked for by name and leaves out: found before anything is built."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from conformance.catalogue import left_out as say
from conformance.catalogue.message import packed, within
from conformance.record.operator import Unreached
from conformance.record.torch_binding import TORCH_NPU
from conformance.session.left_out import not_on_route, reason_of
from tests.conformance.record.test_operator import BOUND, RECORD

INNER = f"{RECORD.name} inner"


def left_out(expression: str, route: str = "aclnn") -> list[str]:
    return list(not_on_route([RECORD], route, [RECORD.name], ["-x", "-k", expression]))


def test_an_operator_that_is_named_and_not_reachable_is_left_out_with_the_reason() -> None:
    lost = replace(RECORD, torch_npu=Unreached("nobody calls it"))
    there = replace(RECORD, name="there", torch_npu=BOUND)
    found = not_on_route([lost, there], TORCH_NPU, [lost.name, "there"], [])
    assert found == {lost.name: "it is not reachable on route torch_npu: nobody calls it"}
    assert not_on_route([lost, there], TORCH_NPU, ["there"], []) == {}
    assert not_on_route([lost], "aclnn", [lost.name], []) == {}


@pytest.mark.parametrize(
    "expression",
    [
        "inner",
        "INNER",
        "plain or inner",
        f"inner-{RECORD.dtypes[0]}",
        "test_values and inner",
        "inner and not test_relations",
        f"{RECORD.name} and (plain or inner)",
        f"test_values and inner and not plain and {RECORD.dtypes[0]}",
    ],
)
def test_a_mode_of_another_route_is_left_out_if_it_is_named(expression: str) -> None:
    assert left_out(expression) == [INNER]
    assert left_out(expression, "kernel") == []


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "plain",
        "not inner",
        "test_values",
        "not (plain or inner)",
        RECORD.name,
        "inner or",
        "in",
    ],
)
def test_a_mode_that_is_not_named_is_not_asked_for(expression: str) -> None:
    assert left_out(expression) == []


def test_the_reason_names_the_route_of_the_mode() -> None:
    found = not_on_route([RECORD], "aclnn", [RECORD.name], ["-kinner"])
    assert found == {INNER: "only route kernel calls it"}


def test_of_an_operator_that_nobody_named_no_mode_was_asked_for() -> None:
    assert not_on_route([RECORD], "aclnn", [], ["-k", "inner"]) == {}
    assert not_on_route([RECORD], "aclnn", [], ["-k", f"{RECORD.name}-inner"]).keys() == {INNER}


def test_the_reason_of_an_option_keeps_its_chinese() -> None:
    reason = say.NOT_REACHABLE(route="kernel", reason="nobody calls it")
    read = reason_of(json.dumps(packed(reason)))
    assert (read, within(read, "zh")) == (reason, within(reason, "zh"))


@pytest.mark.parametrize("reason", ["no time", "3", "null", "[1]", '{"id": "no.such"}', ""])
def test_a_reason_that_a_person_wrote_stands(reason: str) -> None:
    assert reason_of(reason) == reason
