"""Automatic mutants: the share that is killed is counted as it should be."""

from itertools import islice

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.draw.profiles import PROFILES
from conformance.mutants.bench import Bench, Fate, answered
from conformance.mutants.drawn_cases import calls
from conformance.mutants.source_mutants import SourceMutant, source_mutants
from conformance.suite.records import operators
from device_kernels.build import build
from tests.kernels import automatic_run
from tests.kernels.automatic_run import (
    KERNELS,
    chosen,
    report,
    sources,
    wilson,
)
from tests.kernels.launches import ROUTE

MUTANT = SourceMutant("kernel.cpp", 7, "number", 0, "1", "2")


@pytest.mark.parametrize(
    ("killed", "of", "least"), [(0, 0, 0.0), (100, 100, 0.963), (95, 100, 0.888), (114, 120, 0.895)]
)
def test_the_lower_end_of_the_wilson_interval(killed, of, least):
    assert wilson(killed, of) == pytest.approx(least, abs=6e-4)


def test_only_mutants_that_change_something_count_and_survivors_are_named():
    fates = [Fate(MUTANT, "killed", calls=n) for n in range(1, 41)]
    fates += [Fate(MUTANT, "changes nothing"), Fate(MUTANT, "does not compile")]
    lines, rate = report([*fates, Fate(MUTANT, "survived")])
    assert rate == wilson(40, 41)
    assert lines[0] == "40 killed, 1 survived, 1 changes nothing, 1 does not compile"
    assert "  kernel.cpp:7 number: '1' -> '2': no reason is known" in lines


def test_reasons_are_told(monkeypatch):
    monkeypatch.setitem(automatic_run.REASONS, str(MUTANT), "one is as good as two")
    lines, _ = report([Fate(MUTANT, "changes nothing")])
    assert "  kernel.cpp:7 number: '1' -> '2': one is as good as two" in lines


def test_reasons_are_given_of_mutants_that_exist():
    existing = {
        str(mutant)
        for operator in operators()
        for file in sources(operator)
        for mutant in source_mutants(file, (KERNELS / file).read_text(encoding="utf-8"))
    }
    assert automatic_run.REASONS.keys() <= existing


def test_an_operators_sources_are_its_own_and_what_they_include():
    own = [f"{OPERATOR.name}/{OPERATOR.name}_{part}" for part in ("kernel.cpp", "tiling.cpp")]
    header = f"{OPERATOR.name}/{OPERATOR.name}_tiling.h"
    assert sources(OPERATOR) == [*own, header, "shared/checks/tiling_checks.h"]
    (sorts,) = (one for one in operators() if one.name == "moe_token_permute_with_ep")
    assert "shared/sorting/stable_sort_kernel.h" in sources(sorts)
    assert not any("aclnn" in file or "limit" in file for file in sources(sorts))


def test_a_kernel_that_does_nothing_is_killed_and_the_real_one_is_not(tmp_path):
    some = tuple(islice(calls(OPERATOR, PROFILES["smoke"], 0, ROUTE), 40))
    real = build(quiet=True)
    right = list(answered(OPERATOR, ROUTE, real.lib, some))
    assert [told for told, _ in right if told] == []
    file = f"{OPERATOR.name}/{OPERATOR.name}_kernel.cpp"
    (idle,) = (
        mutant
        for mutant in source_mutants(file, (KERNELS / file).read_text(encoding="utf-8"))
        if mutant.before == "kernel.Process();"
    )
    seen = tuple(seen for _, seen in right)
    kernel = KERNELS / OPERATOR.name
    bench = Bench(OPERATOR, ROUTE, some, seen, kernel, tmp_path, real.runtime)
    fate = bench.judge(idle)
    assert (fate.fate, fate.calls) == ("killed", 1)
    assert "are not what the document gives" in fate.by


def test_no_mutant_is_drawn_of_exported_limits_which_no_call_reads():
    (file,) = (file for file in sources(OPERATOR) if file.endswith("tiling.cpp"))
    text = (KERNELS / file).read_text(encoding="utf-8")
    first = text[: text.index("TilingLimit(")].count("\n") + 1
    assert text.count("\n") > first + 10
    lines = [one.line for one in chosen(OPERATOR, 0, 0) if one.file == file]
    assert first - 20 < max(lines) < first
