"""A run through torch_npu tells which two-phase function each function called."""

from __future__ import annotations

import msgspec

from cases.operators.moe_finalize_routing_v2 import OPERATOR as FINALIZE
from cases.operators.moe_init_routing_v2 import OPERATOR as UNREACHED
from cases.operators.moe_re_routing import OPERATOR as RE_ROUTING
from conformance.catalogue.message import within
from conformance.cli.html import render
from conformance.evidence.lines import VerdictLine
from conformance.evidence.summary import COUNTED, Evidence
from conformance.evidence.torch_functions import TorchFunction, bindings, torch_functions
from conformance.record.torch_binding import TORCH_NPU
from conformance.text.one_screen import torch_lines
from tests.conformance.evidence.test_summary import line

V2, V4 = "aclnnMoeFinalizeRoutingV2", "aclnnMoeFinalizeRoutingV4"


def called(digest: str, *names: str, **changed: str) -> VerdictLine:
    told = {"operator": FINALIZE.name, "route": TORCH_NPU, **changed}
    return msgspec.structs.replace(line(digest, "generate"), two_phase=names, **told)


def of(*lines: VerdictLine) -> list[TorchFunction]:
    return torch_functions(lines, bindings([RE_ROUTING, FINALIZE, UNREACHED]), COUNTED)


def function(name: str, *names: str, declared: tuple[str, ...] = (V4, V2)) -> TorchFunction:
    cases = dict.fromkeys(names, 1)
    return TorchFunction(operator=name, function=f"npu_{name}", declared=declared, called=cases)


def test_a_record_declares_its_own_function_unless_it_names_others() -> None:
    assert {one.operator: one.declared for one in bindings([RE_ROUTING, FINALIZE, UNREACHED])} == {
        "moe_re_routing": ("aclnnMoeReRouting",),
        "moe_finalize_routing_v2": (V4, V2),
    }


def test_distinct_judged_cases_are_counted_by_the_function_that_was_called() -> None:
    (told,) = of(
        called("a", V4),
        called("a", V4),
        called("b", V4),
        called("c", V2, V4),
        called("d", "aclnnA", phase="shrink"),
        called("e", "aclnnA", judged_as="quarantine"),
        called("f", "aclnnA", route="aclnn"),
    )
    assert (told.operator, told.function) == (FINALIZE.name, "npu_moe_finalize_routing")
    assert (told.called, told.undeclared) == ({V2: 1, V4: 3}, [])


def test_a_device_that_does_not_say_what_was_called_leaves_what_is_declared() -> None:
    evidence = Evidence(torch_functions=of(called("a")))
    expected = f"called: npu_moe_finalize_routing -> {V4} or {V2} (declared, not observed)"
    assert [*torch_lines(evidence, verbose=False)] == [expected]
    assert of(called("a", route="aclnn")) == []


def test_an_undeclared_function_has_a_line_of_its_own_and_the_first_of_the_others_share_one() -> (
    None
):
    names = ("a", "b", "c", "d", "e")
    listed = [*(function(name, V4) for name in names), function("x", V2, "aclnnOther")]
    listed.append(function("a", V4))
    evidence = Evidence(torch_functions=listed)
    other = (
        f"called: npu_x -> {V2}, aclnnOther (the record of x declares {V4} or {V2})",
        f"调用：npu_x -> {V2}、aclnnOther（x 的记录声明的是 {V4} 或 {V2}）",
    )
    short = [*torch_lines(evidence, verbose=False)]
    assert [within(short[0], language) for language in ("en", "zh")] == [*other]
    assert short[1:] == [
        f"called: npu_a -> {V4}; npu_b -> {V4}; npu_c -> {V4};"
        " 2 more as declared (`--verbose` lists them)"
    ]
    assert [*torch_lines(evidence, verbose=True)] == [
        other[0],
        *(f"called: npu_{name} -> {V4}" for name in names),
    ]
    assert f"npu_x -&gt; {V2}, aclnnOther (the record of x declares" in render(evidence)


def test_evidence_keeps_them_and_a_merged_run_declares_the_same() -> None:
    evidence = Evidence(torch_functions=of(called("a", V4)))
    back = msgspec.json.decode(msgspec.json.encode(evidence), type=Evidence).torch_functions
    assert back == evidence.torch_functions
    (again,) = torch_functions([called("a", V2)], back, COUNTED)
    assert (again.declared, again.called) == ((V4, V2), {V2: 1})
