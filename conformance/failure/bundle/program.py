"""The two programs of a bundle: they make its call again without this project.

The Python one is the same in every bundle and reads the manifest; in the C++ one the call is
written out, so that it reads as an application's own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.call.attribute import loaded
from conformance.call.case import PROGRAM, ROUNDED
from conformance.failure.bundle.arrays import header
from conformance.failure.bundle.manifest import GUARDS, Argument, Manifest

PROGRAMS = Path(__file__).with_name("programs")
START_SECONDS = 120
"""Seconds that loading the libraries and opening the device may take, beside the call."""


def python_program() -> bytes:
    """The content of ``replay.py``."""
    return (PROGRAMS / "replay.py").read_bytes()


def python_device() -> bytes:
    """The content of ``replay_device.py``, which ``replay.py`` takes its device from."""
    return (PROGRAMS / "replay_device.py").read_bytes()


def cpp_program(manifest: Manifest) -> bytes:
    """The content of ``replay.cpp``; the manifest must name a symbol."""
    environment = Environment(
        loader=PackageLoader("conformance.failure.bundle", "programs"),
        autoescape=False,  # C++, whose texts are quoted below
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    machine, device = manifest.machine or {}, manifest.device or {}
    files = _Files(manifest)
    judged = list(_judged(manifest, files))
    about = f"{manifest.operator}, {manifest.mode}, {manifest.dtype}: {manifest.symbol}"
    cores, ub_bytes = int(machine.get("cores", 0)), int(machine.get("ub_bytes", 0))
    functions = _word(str(machine.get("functions", ROUNDED)))
    by_functions = "" if functions == ROUNDED else f"functions {functions}, "
    pipes = ":".join(map(_word, str(machine.get("pipes", PROGRAM)).split(":")))
    by_pipes = "" if pipes == PROGRAM else f"pipes {pipes}, "
    text = environment.get_template("replay.cpp.j2").render(
        about=_comment(about),
        headline=_comment(manifest.headline),
        title=quoted(about),
        failed_on=quoted(manifest.implementation) if manifest.implementation else "",
        symbol=_word(manifest.symbol),
        declared=[_declared(one) for one in manifest.arguments],
        before_call=list(_before_call(manifest)),
        passed=list(_passed(manifest.arguments)),
        tensors=[_tensor(files, one) for one in manifest.arguments if one.kind == "tensor"],
        guards=files.load(GUARDS),
        judged=judged,
        uses_exact=any("JudgeExact" in one for one in judged),
        uses_ranges=any("JudgeRanges" in one for one in judged),
        status=manifest.status,
        block_order=quoted(str(machine.get("block_order", "forward"))),
        functions=quoted(functions),
        pipes=quoted(pipes),
        soc=quoted(str(device["soc"])) if device.get("kind") == "sim" else "nullptr",
        cores=cores,
        ub_bytes=ub_bytes,
        machine_words=f"cores {cores}, UB {ub_bytes} B, {by_functions}{by_pipes}"
        if machine
        else "",
        seconds=START_SECONDS + round(manifest.time_limit),
    )
    return text.encode()


def quoted(text: str) -> str:
    """A C++ string literal of any text."""
    return _literal(text.encode("utf-8", "replace"))


def _literal(content: bytes) -> str:
    """A C++ string literal of bytes, those as octal numbers that are no plain characters."""
    plain = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\?' else f"\\{byte:03o}"
        for byte in content
    )
    return f'"{plain}"'


class _Files:
    """The arrays of a bundle as the program loads them."""

    def __init__(self, manifest: Manifest) -> None:
        self._entries = {one.path: one for one in manifest.files}

    def load(self, path: str) -> str:
        """The expression that reads the data of an array, having looked at its header."""
        one = self._entries[path]
        assert one.shape is not None
        expected = header(np.dtype(one.dtype), one.shape)
        text = f"std::string({_literal(expected)}, {len(expected)})"
        return f"Load({quoted(path)}, {text}, {one.bytes - len(expected)})"


def _comment(text: str) -> str:
    """Text as one line of a comment, which it cannot leave."""
    return re.sub(r"[^\x20-\x7e]|[\\?]", " ", text)[:300].rstrip() or "-"


def _word(name: str) -> str:
    """A name as an identifier: records choose them."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


def _number(value: int) -> str:
    """An int64 as C++ writes it, the least one among them."""
    return "INT64_MIN" if value == -(2**63) else f"INT64_C({value})"


def _real(value: float) -> str:
    """A double as C++ writes it, with all its bits."""
    if math.isfinite(value):
        return str(value)
    return "NAN" if math.isnan(value) else f"{'-' if value < 0 else ''}INFINITY"


def _list(values: tuple[int, ...]) -> str:
    return f"{{{', '.join(_number(value) for value in values)}}}"


def _declared(one: Argument) -> str:
    """The declaration of a parameter."""
    name = _word(one.acl_name)
    return {
        "tensor": f"const aclTensor* {name}_",
        "null": f"const aclTensor* {name}_",
        "int64": f"int64_t {name}_",
        "bool": f"bool {name}_",
        "double": f"double {name}_",
        "int array": f"const aclIntArray* {name}_",
        "numbers": f"const int64_t* {name}_, uint64_t {name}Count_",
    }[one.kind]


def _before_call(manifest: Manifest) -> Iterator[str]:
    """The arrays that the call is given."""
    for place, one in enumerate(manifest.arguments):
        if one.kind not in ("int array", "numbers") or not isinstance(one.value, tuple):
            continue
        numbers = f"numbers{place}"
        yield f"// {_comment(one.acl_name)}"
        yield f"const std::vector<int64_t> {numbers} = {_list(one.value)};"
        if one.kind == "int array":
            made = f"aclCreateIntArray({numbers}.data(), {numbers}.size())"
            yield f"const aclIntArray* array{place} = {made};"


def _passed(arguments: tuple[Argument, ...]) -> Iterator[str]:
    """The arguments of phase 1, each with its name."""
    tensors = 0
    for place, one in enumerate(arguments):
        name = f"/* {_word(one.acl_name)} */ "
        if one.kind == "tensor":
            yield f"{name}tensors[{tensors}].handle"
            tensors += 1
        elif isinstance(number := loaded(one.value), float):
            yield name + _real(number)
        elif isinstance(one.value, int):
            boolean = one.kind == "bool"
            yield name + (str(bool(one.value)).lower() if boolean else _number(one.value))
        elif one.kind == "numbers":
            given = isinstance(one.value, tuple)
            data = f"numbers{place}.data(), numbers{place}.size()"
            yield name + (data if given else "nullptr, 0")
        else:
            yield name + (f"array{place}" if isinstance(one.value, tuple) else "nullptr")


def _tensor(files: _Files, one: Argument) -> str:
    """The initializer of a tensor, in the order of its members."""
    elements = files.load(one.file) if one.file else "{}"
    rows = f"As<int64_t>({files.load(one.rows_file)})" if one.rows_file else "{}"
    strides = "{}" if one.strides is None else _list(one.strides)
    output, sparse = str(one.role == "output").lower(), str(bool(one.rows_file)).lower()
    return (
        f"{{{quoted(one.name)}, {output}, {one.data_type}, {one.format}, {one.itemsize},\n"
        f"        {_list(one.shape)}, {strides}, {one.start}, {one.spare}, {rows}, {sparse},\n"
        f"        {elements}, {{}}}}"
    )


def _judged(manifest: Manifest, files: _Files) -> Iterator[str]:
    """How each output is judged, in the order of the signature."""
    tensors = [one for one in manifest.arguments if one.kind == "tensor"]
    for place, one in enumerate(tensors):
        told = manifest.accepted.get(one.name)
        if one.role != "output" or told is None or manifest.status != 0:
            continue
        if told.kind in ("anything", "not stored"):
            why = told.reason or "nothing is promised of it"
            yield f'std::printf("%s\\n", {quoted(f"{one.name}: not judged, {why}")});'
            continue
        seen = manifest.observed.outputs.get(one.name)
        observed = f"observed{place}" if seen is not None and seen.file else ""
        if seen is not None and seen.file:
            yield f"const Bytes {observed} = {files.load(seen.file)};"
        last = f"&{observed}" if observed else "nullptr"
        if told.kind == "exact":
            silent = files.load(told.files["specified"]) if "specified" in told.files else "{}"
            yield f"JudgeExact(tensors[{place}], {files.load(told.files['bits'])},"
            yield f"           {silent}, {last});"
        else:
            yield f"JudgeRanges(tensors[{place}], As<int64_t>({files.load(told.files['starts'])}),"
            yield f"            As<int32_t>({files.load(told.files['low'])}),"
            yield f"            As<int32_t>({files.load(told.files['high'])}),"
            yield f"            {told.storage_bits}, {told.infinity_bits}, {last});"
