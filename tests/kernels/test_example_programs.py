"""The programs of examples/ are built and run as the README says, and print what they derive."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.record.operator import Operator
from conformance.suite import records as suite
from device_kernels.build import build
from tests.kernels.cpp_program import INCLUDE, ROOT
from tests.slow import slow_but

EXAMPLES = ROOT / "examples"
PROGRAMS = sorted(path.stem for path in EXAMPLES.glob("*.cpp"))
OPERATORS = {operator.name: operator for operator in suite.operators()}
SHOWN = re.compile(r"^make -C examples (\w+)", re.MULTILINE)
SHARED = re.compile(r"\b(?:ACL|acl|AscendC|ascendsim)\w*")
PUBLIC = re.compile(r"^\s*#\s*include [<\"](?:acl|aclnn|aclnnop)/", re.MULTILINE)
RECORDED = {
    "moe_compute_expert_tokens": "the document's",
    "moe_finalize_routing": "ranks of a router",
    "moe_finalize_routing_v2": "two tokens of two slots, one of them dropped",
    "moe_finalize_routing_v2_grad": "two tokens of two slots, one dropped, with a bias",
    "moe_finalize_routing_v4": "an expert of each kind, dropless_rows",
    "moe_init_routing": "three tokens, rows in columns, activeNum 2",
    "moe_init_routing_quant": "three tokens, rows in columns, activeNum 2",
    "moe_init_routing_quant_v2": "three tokens of two experts, two rows of each expert",
    "moe_init_routing_v2": "three tokens of two experts, two rows of each expert",
    "moe_init_routing_v2_grad": "README",
    "moe_init_routing_v3": "rows divided by powers of two",
    "moe_re_routing": "by hand, scaled",
    "moe_token_permute": "three tokens of two experts, 4 rows kept, float32",
    "moe_token_permute_grad": "two rows of one token",
    "moe_token_permute_with_ep": "three tokens of two experts, range 1 to 5, float32",
    "moe_token_permute_with_routing_map": "two tokens of two experts each, float32",
    "moe_token_permute_with_ep_grad": "two tokens of two slots, range 1 to 4",
    "moe_token_permute_with_routing_map_grad": "worked out float32 int8",
    "moe_token_unpermute": "two tokens of two slots, one of probability zero",
    "moe_token_unpermute_grad": "two tokens of two slots, one of probability zero",
    "moe_token_unpermute_with_ep": "the document's",
    "moe_token_unpermute_with_ep_grad": "the document's",
    "moe_token_unpermute_with_routing_map": "an unused slot",
    "moe_token_unpermute_with_routing_map_grad": "selected by the map, int8",
}
"""The example on record that each program calls."""


def made(*arguments: str, into: Path, **environment: str) -> str:
    """What the README's command prints for other arguments; a warning of the compiler fails."""
    ours = {"PYTHON": sys.executable, "OUT": str(into), "LC_ALL": "C"}
    theirs = {name: value for name, value in os.environ.items() if name != "ASCEND_HOME_PATH"}
    flags = "FLAGS=-std=c++17 -Wall -Wextra -pedantic -Werror"
    done = subprocess.run(
        ["make", "-s", "-C", "examples", flags, *arguments],
        cwd=ROOT,
        env={**theirs, **ours, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tensors_of(printed: str) -> dict[str, list[str]]:
    """The lines of numbers that a program prints under each tensor's name."""
    blocks = re.findall(r"^(\w+) \[[\d, ]+\]\n((?:  .*\n)+)", printed, re.MULTILINE)
    return {name: [line.strip() for line in lines.splitlines()] for name, lines in blocks}


def derived_in(program: str) -> dict[str, list[str]]:
    """The results of the derivations in a program's comment, which end a chain of equalities."""
    source = (EXAMPLES / f"{program}.cpp").read_text(encoding="utf-8")
    results: dict[str, list[str]] = {}
    for name, numbers in re.findall(r"^//   (\w+)(?:\[\d\])? = .* = (.*)$", source, re.M):
        results.setdefault(name, []).append(numbers)
    return results


def recorded(operator: Operator) -> dict[str, list[float]]:
    """The values of the example on record, by the interface's names."""
    (example,) = (e for e in operator.examples if e.name == RECORDED[operator.name])
    assert example.expected is not None
    names = {tensor.name: tensor.acl_name for tensor in operator.tensors}
    return {
        names[name].removesuffix("Optional"): list(values)
        for name, values in example.expected.items()
    }


def test_every_operator_of_the_seed_has_a_program() -> None:
    assert set(PROGRAMS) == set(RECORDED) <= set(OPERATORS)


def test_a_page_shows_the_command_for_one_of_them() -> None:
    page = "docs/reference/command-line.md"
    (shown,) = SHOWN.findall((ROOT / page).read_text(encoding="utf-8"))
    assert shown in PROGRAMS


@pytest.mark.parametrize("program", slow_but(list(PROGRAMS)[:3], PROGRAMS))
def test_a_program_prints_what_its_comment_derives_and_the_record_holds(
    program: str, tmp_path: Path
) -> None:
    printed, derived = tensors_of(made(program, into=tmp_path)), derived_in(program)
    held = recorded(OPERATORS[program])
    assert set(derived) == set(held)
    for name, lines in derived.items():
        assert printed[name] == lines
        numbers = [float(number) for line in lines for number in line.split()]
        assert numbers == pytest.approx(held[name], rel=1e-7), "to eight digits"


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_calls_public_functions_only(program: str) -> None:
    """Nothing that only the simulated device has: the same text is meant for CANN."""
    declared = "".join(
        header.read_text(encoding="utf-8")
        for folder in ("acl", "aclnn", "aclnnop")
        for header in sorted((INCLUDE / folder).glob("*.h"))
    )
    for source in (EXAMPLES / f"{program}.cpp", EXAMPLES / "device.h"):
        text = source.read_text(encoding="utf-8")
        assert PUBLIC.search(text)
        calls = set(SHARED.findall(re.sub(r"//.*", "", re.sub(r'".*?"', "", text))))
        assert {call for call in calls if not re.search(rf"\b{call}\b", declared)} == set()


def test_with_cann_s_environment_its_headers_and_libraries_are_taken(tmp_path: Path) -> None:
    """CANN's folder as the environment names it; here it holds the simulated device."""
    cann, lib = tmp_path / "cann", build(quiet=True).lib
    (cann / "lib64").mkdir(parents=True)
    (cann / "include").symlink_to(INCLUDE)
    for library in ("libopapi.so", "libascendcl.so", "libnnopbase.so"):
        (cann / "lib64" / library).symlink_to(lib / library)
    nowhere = {"PYTHON": "/nothing/is/built"}
    printed = made(
        *("moe_token_permute_grad", "ASCEND_HOME_PATH=" + str(cann)), into=tmp_path, **nowhere
    )
    assert tensors_of(printed)["out"] == derived_in("moe_token_permute_grad")["out"]
