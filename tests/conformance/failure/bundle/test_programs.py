"""Both programs of a bundle make its call without this project, and say the same of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.call.case import Case, Machine
from conformance.call.observation import Observation, Outcome
from conformance.devices.open import hashed
from conformance.draw.layouts import LAYOUTS, strides_of
from conformance.evidence.implementation import Implementation
from conformance.failure.bundle import manifest as told
from conformance.record.computed import Box
from conformance.record.contract import Quantised
from conformance.record.operator import Operator
from conformance.suite import records as suite
from conformance.values.fill import Fill
from device_kernels.build import build
from device_kernels.toolchain import compiler
from tests.conformance.failure.bundle.bundles import CASE, answer, bundle
from tests.kept import kept
from tests.kernels.cpp_program import INCLUDE
from tests.slow import slow_but

OPERATORS = {operator.name: operator for operator in suite.operators()}
FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror")
RIGHT, WRONG, CHANGED, ENVIRONMENT = 0, 1, 2, 3


@dataclass(frozen=True)
class Said:
    """What a program printed, and its exit status."""

    status: int
    text: str


def python(folder: Path, *arguments: str, lib: Path | None = None) -> Said:
    """Run the Python program of a bundle; nothing of this project is on its path."""
    libraries = ("--libraries", str(lib or build(quiet=True).lib))
    done = subprocess.run(
        [sys.executable, "-I", str(folder / told.PYTHON_PROGRAM), *libraries, *arguments],
        cwd="/",
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Said(done.returncode, done.stdout)


def compiled(folder: Path, *flags: str, lib: Path | None = None) -> Path:
    """Compile the C++ program of a bundle as its first lines say, once for each text of one."""
    source, program = folder / told.CPP_PROGRAM, folder / "replay"
    words = [compiler(), *FLAGS, *flags]

    def make(into: Path) -> None:
        subprocess.run([*words, "-c", str(source), "-o", str(into / "replay.o")], check=True)

    made = kept("replay", [], make, "\0".join([*words, source.read_text()])) / "replay.o"
    place = str(lib or build(quiet=True).lib)
    third = [] if lib else ["-lnnopbase"]
    link = [f"-L{place}", f"-Wl,-rpath,{place}", "-lopapi", *third, "-lascendcl", "-ldl"]
    subprocess.run([compiler(), str(made), "-o", str(program), *link], check=True)
    return program


def cpp(program: Path, *arguments: str) -> Said:
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True)
    return Said(done.returncode, done.stdout)


def both(folder: Path) -> Said:
    """What both programs say: it must be the same."""
    said, other = python(folder), cpp(compiled(folder))
    assert said == other
    return said


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A bundle of a call that the device carries out, and its C++ program; nobody changes them."""
    folder = bundle(tmp_path_factory.mktemp("right") / "b")
    return folder, compiled(folder)


def example(operator: str, name: str) -> Case:
    return next(one.case for one in OPERATORS[operator].examples if one.name == name)


def flip_the_last_bit(bits: NDArray[np.unsignedinteger]) -> None:
    bits.reshape(-1)[-1] ^= bits.dtype.type(1)


def test_where_the_device_is_right_both_end_with_0(right: tuple[Path, Path]) -> None:
    folder, program = right
    assert python(folder) == cpp(program)
    assert cpp(program) == Said(
        RIGHT,
        "moe_init_routing_v2_grad, dropless, float16: aclnnMoeInitRoutingV2Grad\n"
        "device: simulated, cores 2, UB 8192 B, block order reverse\n"
        "grad_x: 40 of 40 elements are accepted; the bytes that were observed\n"
        "the device is right\n",
    )


def test_where_the_device_shows_the_mistake_both_end_with_1_and_say_where(tmp_path: Path) -> None:
    """The device is right; what is accepted is turned round, so that it is the device that errs."""
    folder = bundle(tmp_path / "b", CASE, wrong_record(), answer(wrong=flip_the_last_bit))
    said = both(folder)
    assert said.status == WRONG
    assert "grad_x: 4 of 40 elements are accepted; other bytes than observed\n" in said.text
    (wrong,) = re.findall("^wrong: grad_x: 36 elements; first .*$", said.text, re.MULTILINE)
    assert re.search(r"first \[0, 0\] is 0x[0-9a-f]{4}, accepted 0x[0-9a-f]{4}$", wrong)
    assert said.text.endswith("the device shows the mistake\n")


def wrong_record() -> Operator:
    """The record, but for a reference that adds one row only."""
    right = OPERATORS["moe_init_routing_v2_grad"]
    contract = right.contracts["grad_x"]

    def first_row(inputs, attributes):  # type: ignore[no-untyped-def]
        terms = contract.terms(inputs, attributes)  # type: ignore[union-attr]
        rows = terms.rows.copy()
        rows[:, 1:] = -1
        return replace(terms, rows=rows)

    changed = replace(contract, terms=first_row)  # type: ignore[call-arg, type-var]
    return replace(right, contracts={"grad_x": changed})


CALLS = {
    "arrays of integers and moved values": (
        "moe_token_permute_with_ep",
        "three tokens of two experts, range 1 to 5",
    ),
    "optional tensors left out": ("moe_finalize_routing_v2", "rows without scales"),
    "rows beyond 2^32 elements": (
        "moe_init_routing_v2_grad",
        "rows around 2^32 elements bfloat16",
    ),
    "maps of bytes": (
        "moe_token_permute_with_routing_map",
        "worked out dropless float16, no probs",
    ),
    "nothing to add": ("moe_init_routing_v2_grad", "hidden 0"),
}


@pytest.mark.parametrize("what", slow_but(list(CALLS)[:2], CALLS))
def test_calls_of_every_kind_are_made_by_both(tmp_path: Path, what: str) -> None:
    operator, name = CALLS[what]
    case = example(operator, name)
    folder = bundle(tmp_path / "b", case, OPERATORS[operator], judged_as="example", name=name)
    assert both(folder).status == RIGHT


def test_a_view_with_strides_into_a_larger_storage_is_made_by_both(tmp_path: Path) -> None:
    """What lies between and around the elements of a view is somebody else's."""
    operator = OPERATORS["moe_token_permute_with_routing_map_grad"]
    case = next(one.case for one in operator.examples if len(one.case.outputs) == 2)
    shape = case.outputs["tokens_grad"].shape
    assert len(shape) == 2
    strides = strides_of(LAYOUTS[-1], (shape[0], shape[1]))
    outputs = {
        name: replace(tensor, strides=strides if name == "tokens_grad" else None, start=3, spare=5)
        for name, tensor in case.outputs.items()
    }
    assert strides is not None
    inputs = {name: replace(one, start=1, spare=7) for name, one in case.inputs.items()}
    folder = bundle(tmp_path / "b", replace(case, inputs=inputs, outputs=outputs), operator)
    assert both(folder).status == RIGHT


def test_a_broadcast_input_is_made_by_both(tmp_path: Path) -> None:
    operator, name = CALLS["maps of bytes"]
    case = example(operator, name)
    assert len(case.inputs["tokens"].shape) == 2
    shared = replace(case.inputs["tokens"], strides=(0, 2), values=None, fill=Fill(("address",), 1))
    viewed = replace(case, inputs={**case.inputs, "tokens": replace(shared, start=2, spare=1)})
    folder = bundle(tmp_path / "b", viewed, OPERATORS[operator])
    assert both(folder).status == RIGHT


@pytest.mark.parametrize("status", [161002, 561002])
def test_a_call_that_must_be_refused_is_right_where_it_is(tmp_path: Path, status: int) -> None:
    operator = OPERATORS["moe_init_routing_v2_grad"]
    refused = next(one for one in operator.rejections if one.status == status)
    seen = Observation(Outcome.COMPLETED)
    folder = bundle(
        tmp_path / "b", refused.case, operator, seen, judged_as="rejection", name=refused.name
    )
    assert both(folder).status == RIGHT


def test_a_tensor_in_another_format_is_made_so_by_both(tmp_path: Path) -> None:
    """In format ND the call is right, and would be carried out."""
    operator = OPERATORS["moe_init_routing_v2_grad"]
    begun = "expanded_row_idx in format FRACTAL_NZ"
    refused = next(one for one in operator.rejections if one.name.startswith(begun))
    name = refused.name
    seen = Observation(Outcome.COMPLETED)
    folder = bundle(tmp_path / "b", refused.case, operator, seen, judged_as="rejection", name=name)
    assert both(folder).status == RIGHT


def test_a_call_that_is_refused_and_must_not_be_shows_the_mistake(tmp_path: Path) -> None:
    operator = OPERATORS["moe_init_routing_v2_grad"]
    refused = next(one for one in operator.rejections if one.status == 561002)
    folder = bundle(tmp_path / "b", refused.case, operator, Observation(Outcome.REJECTED, 561002))
    said = both(folder)
    assert said.status == WRONG
    assert "aclnnMoeInitRoutingV2GradGetWorkspaceSize answered 561002, must be 0: " in said.text


def test_both_programs_choose_the_functions_of_the_machine(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b", replace(CASE, machine=Machine(2, 8192, functions="low")))
    said = both(folder)
    assert said.status == RIGHT
    words = "device: simulated, cores 2, UB 8192 B, functions low, block order forward\n"
    assert words in said.text


def test_both_programs_choose_the_schedule_of_the_pipes(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b", replace(CASE, machine=Machine(2, 8192, pipes="random:7")))
    said = both(folder)
    assert said.status == RIGHT
    words = "device: simulated, cores 2, UB 8192 B, pipes random:7, block order forward\n"
    assert words in said.text


def test_the_order_of_blocks_can_be_chosen(right: tuple[Path, Path]) -> None:
    folder, program = right
    for order in ("forward", "shuffled:12"):
        said = python(folder, "--order", order)
        assert said == cpp(program, order)
        assert f"block order {order}\n" in said.text
        assert "the bytes that were observed" in said.text


def test_the_programs_need_nothing_beside_the_bundle(
    right: tuple[Path, Path], tmp_path: Path
) -> None:
    """Moved elsewhere they find their arrays; they import nothing of this project."""
    folder, program = right
    shutil.copytree(folder, tmp_path / "far")
    assert python(tmp_path / "far").status == RIGHT
    assert cpp(tmp_path / "far" / program.name).status == RIGHT
    shutil.move(tmp_path / "far" / program.name, tmp_path / "alone")
    assert cpp(tmp_path / "alone", "as-stored", "0", str(tmp_path / "far")).status == RIGHT
    imports = (tmp_path / "far" / told.PYTHON_PROGRAM).read_text()
    assert not any(word in imports for word in ("import conformance", "from conformance", "ml_dty"))


def test_the_cpp_program_compiles_with_the_interface_s_own_headers_too(
    right: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = bundle(tmp_path / "b")
    assert cpp(compiled(folder, f"-I{INCLUDE}")) == cpp(right[1])


def test_the_cpp_program_calls_public_functions_only(right: tuple[Path, Path]) -> None:
    """What is the simulator's own is asked for by name, and may be absent."""
    symbols = subprocess.run(
        ["nm", "-u", str(right[1])],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    undefined = {line.split()[-1].partition("@")[0] for line in symbols.splitlines()}
    assert {name for name in undefined if "ascendsim" in name} == set()
    assert {"aclCreateTensor", "aclnnMoeInitRoutingV2Grad", "aclrtMalloc"} <= undefined


@pytest.mark.parametrize("path", ["inputs/grad_expanded_x.npy", "guards.npy", "manifest.json"])
def test_the_python_program_refuses_a_changed_byte_by_name(tmp_path: Path, path: str) -> None:
    folder = bundle(tmp_path / "b")
    content = bytearray((folder / path).read_bytes())
    content[-2] ^= 1
    (folder / path).write_bytes(content)
    said = python(folder)
    assert said.status == CHANGED
    assert f"{path} was changed" in said.text


def test_the_cpp_program_refuses_an_array_of_another_shape_by_name(
    right: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, program = shutil.copytree(right[0], tmp_path / "b"), tmp_path / "b" / right[1].name
    np.save(folder / "inputs" / "grad_expanded_x.npy", np.zeros((10, 8), np.float16))
    said = cpp(program)
    assert said.status == CHANGED
    assert "inputs/grad_expanded_x.npy is not the array" in said.text


def test_without_libraries_there_is_no_verdict(tmp_path: Path) -> None:
    said = python(bundle(tmp_path / "b"), lib=tmp_path)
    assert said.status == ENVIRONMENT
    assert "libascendcl.so" in said.text


ENDINGS = {
    "a crash": ("raise(11);", "wrong: signal 11 ended the call"),
    "an error of phase 1": ("return 361001;", "GetWorkspaceSize answered 361001, must be 0"),
}


@pytest.mark.parametrize("what", ENDINGS)
def test_a_library_that_fails_shows_the_mistake(tmp_path: Path, what: str) -> None:
    """The operator library of a device that is not simulated, as far as a program sees."""
    body, words = ENDINGS[what]
    folder = bundle(tmp_path / "b")
    lib = tmp_path / "lib"
    lib.mkdir()
    names = ("aclInit", "aclrtSetDevice", "aclrtMemset", "aclrtMemcpy", "aclrtSynchronizeStream")
    runtime = [f"int {name}(void) {{ return 0; }}" for name in names]
    runtime += [
        "#include <stdlib.h>",
        "int aclrtCreateStream(void** s) { *s = s; return 0; }",
        "int aclrtMalloc(void** p, size_t n, int k) { (void)k; *p = malloc(n); return 0; }",
        'const char* aclGetRecentErrMsg(void) { return "told"; }',
        'const char* aclrtGetSocName(void) { return "Ascend910B4"; }',
    ]
    operators = [
        "#include <signal.h>",
        "static int t; void* aclCreateTensor(void) { return &t; }",
        "void* aclCreateIntArray(void) { return &t; }",
        f"int aclnnMoeInitRoutingV2GradGetWorkspaceSize(void) {{ {body} return 0; }}",
        "int aclnnMoeInitRoutingV2Grad(void) { return 0; }",
    ]
    for name, lines in (("libascendcl", runtime), ("libopapi", operators)):
        source = lib / f"{name}.c"
        source.write_text("\n".join(lines))
        flags = ["-shared", "-fPIC", "-w", "-x", "c"]
        made = [*flags, str(source), "-o", str(lib / f"{name}.so")]
        subprocess.run([os.environ.get("CC", "cc"), *made], check=True)
    said = python(folder, lib=lib)
    assert said == cpp(compiled(folder, lib=lib))
    assert said.status == WRONG
    assert "device: Ascend910B4\n" in said.text
    assert words in said.text


def test_another_implementation_than_what_failed_is_judged_only_if_it_is_named(
    tmp_path: Path,
) -> None:
    lib = build(quiet=True).lib
    failed = Implementation(source="libraries", place="/x", libraries={"libopapi.so": "0" * 64})
    folder = bundle(tmp_path / "b", implementation=failed)
    words = "the call failed on: the libraries in /x (libopapi.so sha256 0000000000000000)\n"
    named = python(folder)
    assert named.status == RIGHT
    assert f"{words}another implementation, or one built since: {lib / 'libopapi.so'}\n" in (
        named.text
    )
    found = subprocess.run(
        [sys.executable, "-I", str(folder / told.PYTHON_PROGRAM)],
        env={**os.environ, "LD_LIBRARY_PATH": str(lib)},
        capture_output=True,
        text=True,
    )
    assert found.returncode == ENVIRONMENT
    assert "nothing is judged unless --libraries names it" in found.stdout
    assert words in cpp(compiled(folder)).text


def test_what_failed_is_called_without_further_words(tmp_path: Path) -> None:
    known = hashed(build(quiet=True).lib / "libopapi.so")
    failed = Implementation(source="suite", libraries={"libopapi.so": known})
    assert "another" not in both(bundle(tmp_path / "b", implementation=failed)).text


@pytest.mark.parametrize("above", [0, 1])
def test_int8_between_two_integers_is_told_by_both(tmp_path: Path, above: int) -> None:
    """The tokens that are moved, or one of two above each: of either sign, and around 0."""
    record = OPERATORS["moe_token_permute"]
    made = example("moe_token_permute", "every kind of pattern int8")
    tokens = np.asarray(record.formula(made.arrays, made.attributes)["permute_tokens"], float)
    box = Box(tokens + above, tokens + 2 * above)
    contract = Quantised(record.contracts["sorted_indices"].clause, lambda call: box)  # type: ignore[union-attr]
    changed = replace(record, contracts={**record.contracts, "permute_tokens": contract})
    said = both(bundle(tmp_path / "b", made, changed))
    assert said.status == (WRONG if above else RIGHT), said.text
    if above:
        low = int(tokens.flat[0]) + 1
        told = f"accepted 0x{low % 256:02x} to 0x{(low + 1) % 256:02x}\n"
        assert told in said.text
