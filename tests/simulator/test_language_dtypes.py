"""What the device's compiler rejects does not compile here, and the message names what it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.simulator.simulated_machine import LANGUAGE, compile_unit

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "language.md"

BINARY = "Of<{0}>(), Of<{0}>(), Of<{0}>(), 1"
SCALAR = "Of<{0}>(), Of<{0}>(), {0}(1), 1"
UNARY = "Of<{0}>(), Of<{0}>(), 1"
WHOLE = "Of<{0}>(), Of<{0}>(), uint64_t{{1}}, 1, 1, 1, 8"
GROUPS = "Of<{0}>(), Of<{0}>(), 1, uint64_t{{1}}, 1, 1, 8"
PAIRS = "Of<{0}>(), Of<{0}>(), Of<uint32_t>(), 1"
SEVEN = ", ".join(["Of<{0}>()"] * 7)
INDICES = "Of<int32_t>()"
TOP_K = f"Of<{{0}}>(), {INDICES}, Of<{{0}}>(), {INDICES}, Of<bool>(), 1, {{{{}}}}, TopKInfo{{{{}}}}"
LISTS = "Of<{0}>(), MrgSortSrcList<{0}>(), MrgSort4Info()"

# A function, its arguments, dtypes that it takes and dtypes that it does not.
FUNCTIONS = [
    *((name, BINARY, "half float int16_t int32_t", "bfloat16_t int64_t int8_t uint8_t uint32_t")
      for name in ("Add", "Sub", "Mul", "Max", "Min")),
    ("Div", BINARY, "half float", "int16_t int32_t bfloat16_t"),
    ("And", BINARY, "int16_t uint16_t", "int32_t half"),
    ("Or", BINARY, "uint16_t", "uint32_t float"),
    *((name, SCALAR, "half float int16_t int32_t", "bfloat16_t int64_t int8_t uint16_t")
      for name in ("Adds", "Muls", "Maxs", "Mins")),
    ("Not", UNARY, "int16_t uint16_t", "int32_t half"),
    ("ShiftLeft", SCALAR, "uint16_t int16_t uint32_t int32_t", "int8_t int64_t float"),
    ("Abs", UNARY, "half float", "int16_t int32_t bfloat16_t"),
    *((name, UNARY, "half float", "int32_t bfloat16_t")
      for name in ("Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal")),
    ("Duplicate", "Of<{0}>(), {0}(1), 1", "half bfloat16_t int16_t uint16_t int32_t uint32_t float",
     "int8_t uint8_t int64_t uint64_t"),
    ("Copy", "Of<{0}>(), Of<{0}>(), uint64_t{{1}}, 1, CopyRepeatParams{{}}", "half bfloat16_t",
     "int8_t int64_t"),
    ("Brcb", "Of<{0}>(), Of<{0}>(), 1, BrcbRepeatParams{{}}", "half uint32_t", "int8_t int64_t"),
    ("Gather", "Of<{0}>(), Of<{0}>(), Of<uint32_t>(), 0u, 1u", "half bfloat16_t uint32_t",
     "int8_t int64_t"),
    ("GatherMask", "Of<{0}>(), Of<{0}>(), 1, false, 0, GatherMaskParams{{}}, count",
     "half bfloat16_t float", "int8_t int64_t"),
    ("Compare", "Of<uint8_t>(), Of<{0}>(), Of<{0}>(), CMPMODE::EQ, 64u", "half float int32_t",
     "int16_t bfloat16_t uint32_t"),
    ("CompareScalar", "Of<uint8_t>(), Of<{0}>(), {0}(1), CMPMODE::EQ, 64u", "half float int32_t",
     "int16_t bfloat16_t uint32_t"),
    ("Select", "Of<{0}>(), Of<uint8_t>(), Of<{0}>(), Of<{0}>(), SELMODE::VSEL_CMPMASK_SPR, 1u",
     "half float", "int32_t bfloat16_t"),
    *((name, WHOLE, "half float", "int32_t bfloat16_t")
      for name in ("WholeReduceSum", "WholeReduceMax", "WholeReduceMin")),
    *((name, GROUPS, "half float", "int32_t bfloat16_t")
      for name in ("BlockReduceSum", "BlockReduceMax", "BlockReduceMin", "PairReduceSum")),
    *((name, BINARY, "half float", "int32_t bfloat16_t")
      for name in ("ReduceSum", "ReduceMax", "ReduceMin")),
    ("Sort32", PAIRS, "half float", "int32_t bfloat16_t"),
    ("Extract", "Of<{0}>(), Of<uint32_t>(), Of<{0}>(), 1", "half float", "int32_t bfloat16_t"),
    ("MrgSort", LISTS, "half float", "int32_t bfloat16_t"),
    ("CreateVecIndex", "Of<{0}>(), {0}(1), 1u", "half float int16_t int32_t",
     "uint32_t bfloat16_t"),
    ("ArithProgression", "Of<{0}>(), {0}(1), {0}(1), 1", "half float int16_t int32_t",
     "uint32_t bfloat16_t"),
    ("Arange", "Of<{0}>(), {0}(1), {0}(1), 1", "half float int16_t int32_t",
     "uint32_t bfloat16_t"),
    ("Broadcast<{0}, 2, 1>", "Of<{0}>(), Of<{0}>(), shape, shape", "int8_t uint8_t half float",
     "int32_t bfloat16_t"),
    ("ReduceSum<{0}, Pattern::Reduce::AR>", "Of<{0}>(), Of<{0}>(), shape, true", "float",
     "half int32_t"),
    *((f"SetAtomic{name}<{{0}}>", "", "int8_t int16_t int32_t half bfloat16_t float",
       "uint8_t uint32_t int64_t") for name in ("Add", "Max", "Min")),
    ("InitGlobalMemory", "GlobalTensor<{0}>(), 1, {0}(1)", "uint16_t half float",
     "int8_t int64_t bfloat16_t"),
    ("InitOutput<{0}>", "GlobalTensor<{0}>(), 1", "int16_t uint32_t int32_t bfloat16_t",
     "uint8_t int64_t"),
    ("DataCopy", "Of<{0}>(), GlobalTensor<{0}>(), 8", "int8_t uint64_t bfloat16_t", "double bool"),
    ("DataCopyPad", "GlobalTensor<{0}>(), Of<{0}>(), DataCopyParams{{}}",
     "bool int8_t uint64_t bfloat16_t", "double"),
    ("Sigmoid", "Of<{0}>(), Of<{0}>(), 1u", "half float", "int32_t bfloat16_t"),
    ("SoftMax<{0}>", "Of<{0}>(), Of<{0}>(), SoftMaxTiling{{}}", "half float",
     "int32_t bfloat16_t"),
    ("SoftmaxFlashV2<{0}>", SEVEN + ", SoftMaxTiling{{}}", "half float", "int32_t bfloat16_t"),
    ("TopK<{0}>", TOP_K, "half float", "int32_t bfloat16_t"),
]  # fmt: skip

CASTS = {
    "float": "half bfloat16_t int16_t int32_t int64_t float",
    "half": "float int8_t uint8_t int16_t int32_t",
    "bfloat16_t": "float int32_t",
    "int8_t": "half",
    "uint8_t": "half",
    "int16_t": "half float",
    "int32_t": "float half int16_t int64_t",
    "int64_t": "int32_t float",
}


def statements(accepted: bool) -> list[tuple[str, str, list[str]]]:
    """Statements, with the function and the dtypes that a rejection has to name."""
    calls = []
    for name, arguments, taken, refused in FUNCTIONS:
        for dtype in (taken if accepted else refused).split():
            call = f"{name.format(dtype)}({arguments.format(dtype)})"
            calls.append((call, name.partition("<")[0], [dtype]))
    for source in CASTS:
        for target in CASTS:
            if (target in CASTS[source].split()) == accepted:
                call = f"Cast(Of<{target}>(), Of<{source}>(), RoundMode::CAST_NONE, 1u)"
                calls.append((call, "Cast", [target, source]))
    return calls


def source_of(calls: list[str], path: Path) -> Path:
    path.write_text(
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        "template <typename T> LocalTensor<T> Of() { return {}; }\n"
        "uint64_t count; uint32_t shape[2];\n"
        + "".join(f"void Call{number}() {{ {call}; }}\n" for number, call in enumerate(calls))
    )
    return path


def test_every_documented_dtype_compiles(tmp_path: Path) -> None:
    calls = [call for call, _, _ in statements(accepted=True)]
    result = compile_unit(source_of(calls, tmp_path / "accepted.cpp"))
    assert result.returncode == 0, result.stderr[:2000]


SPELLED = {
    "int8_t": ("signed char", "signed char"),
    "uint8_t": ("unsigned char", "unsigned char"),
    "int16_t": ("short int", "short"),
    "uint16_t": ("short unsigned int", "unsigned short"),
    "int32_t": ("int", "int"),
    "uint32_t": ("unsigned int", "unsigned int"),
    "int64_t": ("long int", "long"),
    "uint64_t": ("long unsigned int", "unsigned long"),
}
"""What g++ and clang call a type."""


@pytest.fixture(scope="module")
def rejections(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """For each statement that must not compile, what the compiler says of its line."""
    calls = [call for call, _, _ in statements(accepted=False)]
    folder = tmp_path_factory.mktemp("rejected")
    result = compile_unit(source_of(calls, folder / "rejected.cpp"))
    assert result.returncode != 0
    said: dict[int, str] = {}
    begin = r": In instantiation of" if "In instantiation of" in result.stderr else r": error:"
    for text in re.split(rf"^(?=\S+{begin})", result.stderr, flags=re.M)[1:]:
        line = re.search(r"rejected\.cpp:(\d+):\d+: .*(required from|requested) here", text)
        if line:  # else a further error, in what a rejected call would have called
            number = int(line[1]) - 5
            said[number] = said.get(number, "") + text
    return said


def test_every_other_dtype_is_rejected_by_name(rejections: dict[int, str]) -> None:
    """One compilation for all: the message has the function, the compiler adds the dtypes."""
    for number, (call, function, dtypes) in enumerate(statements(accepted=False)):
        text = rejections.get(number, "")
        message = rf"static.assert(ion)? failed:? .*{function} does not "
        assert re.search(message, text), f"{call}: {text[:500]}"
        for dtype in dtypes:
            long, short = SPELLED.get(dtype, (dtype, dtype))
            instantiated = rf"= {long}[;\]]|[<, ]{short}[,>]"
            assert re.search(instantiated, text), f"{call}: {text[:500]}"


def test_the_document_names_every_function_and_header() -> None:
    text = DOCUMENT.read_text()
    functions = {name.partition("<")[0].format("") for name, *_ in FUNCTIONS}
    assert {name for name in functions if f"`{name}`" not in text} == set()
    named = set(re.findall(r"`(\w+\.h)`", text.partition("\n\n## ")[0]))
    assert named - {"kernel_operator.h"} <= {path.name for path in LANGUAGE.glob("ascendc/*/*.h")}
