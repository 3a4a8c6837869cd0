"""What the operator build generates for a kernel, read from the operator's own folder.

A folder of the public operator repositories has ``op_kernel/NAME.cpp``, and in ``op_host`` the
operator's definition, ``NAME_def.cpp``, whose lists of data types have one column for each build,
and headers in which the macros of the tiling API declare structs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CPP_TYPES = {
    "FLOAT16": "half",
    "FLOAT": "float",
    "BF16": "bfloat16_t",
    "INT8": "int8_t",
    "UINT8": "uint8_t",
    "INT16": "int16_t",
    "INT32": "int32_t",
    "UINT32": "uint32_t",
    "INT64": "int64_t",
    "BOOL": "bool",
}
"""Of a data type's name without ``DT_``, for those that Ascend910B has in these operators."""

PARAMETER = re.compile(r'->(?:Input|Output)\("(\w+)"\)(.*?);', re.S)
DEFINED = re.compile(r'->(Input|Output|Attr)\("(\w+)"\)(.*?);', re.S)
DEFAULT = re.compile(r"\.(Int|Bool|Float|ListInt)\(([^()]*)\)")
NUMBERS = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
DATA_TYPE_NUMBERS = {
    "FLOAT": 0,
    "FLOAT16": 1,
    "INT8": 2,
    "INT32": 3,
    "UINT8": 4,
    "INT16": 6,
    "UINT32": 8,
    "INT64": 9,
    "BOOL": 12,
    "BF16": 27,
}
"""The numbers that aclDataType and ge::DataType share."""
DATA_TYPES = re.compile(r"\.DataType(?:List)?\(([^)]*)\)")
NAMED_LIST = re.compile(r"(\w+)\s*=\s*\{([^{}]*\bDT_[^{}]*)\}")
TILING = re.compile(
    r"^[ \t]*((?:BEGIN_TILING_DATA_DEF|TILING_DATA_FIELD_DEF\w*|END_TILING_DATA_DEF|"
    r"REGISTER_TILING_DATA_CLASS)\b(?:\s*\([^)]*\))?;?)",
    re.M,
)
OTHER_PRODUCTS = ("_arch35", "_apt", "_regbase")
"""How the sources of tilings for other architectures than Ascend910B's end."""
REGISTERED = re.compile(r"REGISTER_TILING_DATA_CLASS\(\s*(\w+)\s*,\s*(\w+)\s*\)")


@dataclass(frozen=True)
class Defined:
    """An input, output or attribute.

    Of an attribute ``default`` has the numbers, as they are written; None: it has none. ``type`` is
    Int, Bool, Float or ListInt.
    """

    kind: str
    name: str
    required: bool
    default: tuple[str, ...] | None
    type: str = ""


@dataclass(frozen=True)
class OperatorFolder:
    """An operator, and the builds that its definition asks for."""

    name: str
    title: str
    kernel: Path
    host: tuple[Path, ...]
    """The sources of its tiling for Ascend910B."""
    defined: tuple[Defined, ...]
    tiling: str
    """The declarations of all tiling structs, each before its first use."""
    builds: tuple[tuple[str, ...], ...]
    """The macros of each build: ``DTYPE_X=half``, ``ORIG_DTYPE_X=DT_FLOAT16``, and the tiling."""

    def data_types(self, build: int) -> tuple[int, ...]:
        """The numbers of the data types of the inputs and then the outputs, of one build."""
        names = dict(
            macro.removeprefix("ORIG_DTYPE_").split("=DT_")
            for macro in self.builds[build]
            if macro.startswith("ORIG_DTYPE_")
        )
        tensors = [one for kind in ("Input", "Output") for one in self.of(kind)]
        return tuple(DATA_TYPE_NUMBERS[names[one.name.upper()]] for one in tensors)

    def of(self, kind: str) -> list[Defined]:
        """The inputs, outputs or attributes, in the order of the definition."""
        return [one for one in self.defined if one.kind == kind]


def read(folder: Path) -> OperatorFolder:
    """The operator in ``folder``; ValueError: its definition has no data types."""
    name = folder.name
    definition = re.sub(r"//[^\n]*", "", (folder / "op_host" / f"{name}_def.cpp").read_text())
    declared = re.search(r"OP_ADD\(\s*(\w+)", definition)
    # What follows configures other products, with data types of theirs.
    definition = definition.partition("OpAICoreConfig")[0]
    columns = list(_columns(definition))
    if declared is None or not columns:
        raise ValueError(f"{name}_def.cpp adds no operator with data types")
    tiling = _tiling(folder / "op_host")
    structs = dict(REGISTERED.findall(tiling))
    own = structs.get(declared[1], f"no_tiling_is_registered_for_{declared[1]}")
    builds = tuple((*macros, f"ASCENDSIM_TILING_DATA={own}") for macros in columns)
    host = tuple(
        path
        for path in sorted((folder / "op_host").rglob("*tiling*.cpp"))
        if not path.stem.endswith(OTHER_PRODUCTS)
    )
    kernel = folder / "op_kernel" / f"{name}.cpp"
    defined = tuple(_defined(definition))
    return OperatorFolder(name, declared[1], kernel, host, defined, tiling, builds)


def _defined(definition: str) -> Iterator[Defined]:
    for kind, name, body in DEFINED.findall(definition):
        given = DEFAULT.search(body) if kind == "Attr" else None
        text = given[2].replace("true", "1").replace("false", "0") if given else ""
        default = tuple(NUMBERS.findall(text)) or None
        yield Defined(kind, name, "REQUIRED" in body, default, given[1] if given else "")


def _columns(definition: str) -> Iterator[tuple[str, ...]]:
    """The macros of every column of data types that the CPU model has, each once."""
    lists = {name: re.findall(r"DT_(\w+)", text) for name, text in NAMED_LIST.findall(definition)}
    types: dict[str, list[str]] = {}
    for parameter, body in PARAMETER.findall(definition):
        if given := DATA_TYPES.search(body):
            named = lists.get(given[1].strip(), [])
            types[parameter.upper()] = re.findall(r"DT_(\w+)", given[1]) or named
    count = max(map(len, types.values()), default=0)
    seen = set()
    for column in range(count):
        # One data type for a parameter is that of all builds.
        chosen = {name: each[column % len(each)] for name, each in types.items() if each}
        macros = tuple(
            macro
            for name, each in chosen.items()
            for macro in (f"DTYPE_{name}={CPP_TYPES.get(each)}", f"ORIG_DTYPE_{name}=DT_{each}")
        )
        if set(chosen.values()) <= set(CPP_TYPES) and macros not in seen:
            seen.add(macros)
            yield macros


def _tiling(host: Path) -> str:
    seen: set[Path] = set()
    text = "".join(_with_includes(path, seen) for path in sorted(host.rglob("*tiling*.h")))
    return "\n".join(TILING.findall(text))


def _with_includes(header: Path, seen: set[Path]) -> str:
    """A header's text after that of what it includes from its own folder, each header once."""
    if header in seen:
        return ""
    seen.add(header)
    text = header.read_text()
    beside = [header.parent / name for name in re.findall(r'#include "([^"]+)"', text)]
    before = [_with_includes(path, seen) for path in beside if path.exists()]
    return "".join([*before, text])
