"""A record on a route: what cannot be called there is not asked for."""

from __future__ import annotations

from dataclasses import replace

from conformance.operator import ROUTES, Example, Mode, Quarantine
from conformance.reporting.records import operator_lines
from tests.conformance.segment_sum import SUM, operator, refusal, whole

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
    outer = RECORD.on_route("aclnn")
    assert named(outer.modes, outer.examples, outer.rejections) == [
        ["plain"],
        ["plain"],
        ["negative_top_k", "outer"],
    ]


def test_a_rejection_of_another_route_is_gone() -> None:
    inner = RECORD.on_route("kernel")
    assert named(inner.modes, inner.examples, inner.rejections) == [
        ["plain", "inner"],
        ["plain", "inner"],
        ["negative_top_k", "inner"],
    ]


def test_a_call_in_quarantine_is_made_where_its_mode_can_be_called_or_where_it_says() -> None:
    outer, inner = (named(RECORD.on_route(route).quarantine)[0] for route in ROUTES)
    assert outer == ["plain", "inner, where nobody says what it is"]
    assert inner == ["plain", "inner"]


def test_each_route_has_its_own_function() -> None:
    assert [RECORD.symbol(route) for route in ROUTES] == [RECORD.aclnn, f"kernel{RECORD.title}"]
    told = "\n".join(operator_lines(RECORD))
    assert f"called as  {RECORD.aclnn} (route aclnn), kernel{RECORD.title} (route kernel)" in told


def test_a_record_that_names_no_route_is_the_same_on_each() -> None:
    record = operator(rejections=(refusal(),))
    assert record.on_route("aclnn") is record


def test_the_listing_says_on_which_route_a_mode_is_called() -> None:
    told = "\n".join(operator_lines(RECORD))
    assert "mode       plain: y[r]" in told
    assert "mode       inner (on route kernel only): y[r]" in told
