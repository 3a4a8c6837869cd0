"""The C++ that a foreign operator needs beside its own: launchers of its builds and its entry."""

from __future__ import annotations

import re
from dataclasses import dataclass

from device_kernels.foreign.operator_folder import Defined, OperatorFolder

SCALARS = {"int64": "int64_t", "bool": "bool", "double": "double", "float": "float"}
REALS = ("double", "float")
TRANSPOSED = {"moe_token_permute_with_routing_map": ("routing_map", "probs")}
"""Matrices whose axes an operator's aclnn layer exchanges before it calls the kernel."""
ENTRY = re.compile(
    r'extern\s+"C"\s+__global__\s+__aicore__\s+void\s+(?:__\w+__\s*\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)'
)


@dataclass(frozen=True)
class Parameter:
    """A parameter of the aclnn function. ``kind``: input, output, one of ``SCALARS``, int array."""

    name: str
    kind: str
    optional: bool = False


@dataclass(frozen=True)
class Signature:
    """What is called: ``aclnn`` names the functions, of ``operator``, the name of its folder."""

    operator: str
    aclnn: str
    parameters: tuple[Parameter, ...]


class MismatchError(ValueError):
    """The definition in the checkout has other parameters than the function that is called."""


def launcher(operator: OperatorFolder, build: int) -> str:
    """The source of one build: the kernel as it is, and a function that launches it."""
    text = re.sub(r"//[^\n]*", "", operator.kernel.read_text())
    entries = {name: arguments for name, arguments in ENTRY.findall(text)}
    if operator.name not in entries:
        raise MismatchError(f"{operator.kernel.name} has no kernel entry {operator.name}")
    count = len([one for one in entries[operator.name].split(",") if one.strip()])
    expected = len(operator.of("Input")) + len(operator.of("Output")) + 2
    if count != expected:
        raise MismatchError(
            f"{operator.kernel.name}: {operator.name} takes {count} arguments, inputs and outputs"
            f" of its definition with workspace and tiling are {expected}"
        )
    values = ", ".join(f"static_cast<GM_ADDR>(args[{place}])" for place in range(count))
    return f"""#include "{operator.kernel}"

#include "ascendsim.h"

namespace {{
void Enter(void* const* args) {{ {operator.name}({values}); }}
}}

extern "C" __attribute__((visibility("default"))) uint32_t {operator.name}_launch_{build}(
    uint32_t blocks, void* stream, uint64_t key, void* const* args) {{
    ascendsimTilingKey(key);
    return ascendsimLaunch("{operator.name}", blocks, stream, &Enter, args, {count});
}}
"""


def entry(operator: OperatorFolder, signature: Signature) -> str:
    """The source of the operator's two-phase functions. Raises MismatchError."""
    steps = _steps(operator, signature)
    columns = "\n".join(
        f"        {{{{{', '.join(map(str, operator.data_types(build)))}}},"
        f" &{operator.name}_launch_{build}}},"
        for build in range(len(operator.builds))
    )
    launchers = "\n".join(
        f"uint32_t {operator.name}_launch_{build}(uint32_t, void*, uint64_t, void* const*);"
        for build in range(len(operator.builds))
    )
    parameters = ", ".join(f"{_type(one)} {one.name}" for one in signature.parameters)
    return f"""#include "foreign_operator.h"

extern "C" {{
int32_t {operator.name}_tiling(const ForeignTilingCall*, ForeignTiling*);
{launchers}
}}

namespace {{
const foreign::Operator& Called() {{
    static const foreign::Operator called{{
        {{"{signature.aclnn}GetWorkspaceSize", "{signature.aclnn}"}}, &{operator.name}_tiling, {{
{columns}
    }}}};
    return called;
}}
}}

extern "C" __attribute__((visibility("default"))) aclnnStatus {signature.aclnn}GetWorkspaceSize(
    {parameters}, uint64_t* workspaceSize, aclOpExecutor** executor) {{
    foreign::Call call(Called());
    {chr(10).join("    " + step for step in steps).strip()}
    return call.Plan(workspaceSize, executor);
}}

extern "C" __attribute__((visibility("default"))) aclnnStatus {signature.aclnn}(
    void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {{
    return opapi::RunAndFree("{signature.aclnn}", workspace, workspaceSize, executor, stream);
}}
"""


def _type(parameter: Parameter) -> str:
    if parameter.kind in ("input", "output"):
        return "const aclTensor*"
    return "const aclIntArray*" if parameter.kind == "int array" else SCALARS[parameter.kind]


def _steps(operator: OperatorFolder, signature: Signature) -> list[str]:
    """A line of C++ for each parameter: inputs, then outputs, then attributes.

    A kernel may serve a later function, which has more of them. Then the earlier one leaves out
    inputs at the end that are optional, and attributes at the end have their defaults.
    """
    kinds = {"Input": ("input",), "Output": ("output",), "Attr": (*SCALARS, "int array")}
    steps = []
    for kind, called in kinds.items():
        defined = operator.of(kind)
        given = [one for one in signature.parameters if one.kind in called]
        more = [_left_out(one) for one in defined[len(given) :]]
        if len(defined) < len(given) or None in more:
            raise MismatchError(
                f"{operator.name}_def.cpp defines {len(defined)} x {kind}, "
                f"{signature.aclnn} takes {len(given)}"
            )
        steps += [
            _step(parameter, one, one.name in TRANSPOSED.get(operator.name, ()))
            for parameter, one in zip(given, defined, strict=False)
        ]
        steps += [step for step in more if step is not None]
    return steps


def _left_out(defined: Defined) -> str | None:
    """The line of what the function does not have; None: it cannot be left out."""
    if defined.kind == "Input" and not defined.required:
        return f'call.Input(nullptr, "{defined.name}", true, false);'
    if defined.kind != "Attr" or defined.default is None:
        return None
    if defined.type == "ListInt":
        return f'call.List(nullptr, "{defined.name}", {{{", ".join(defined.default)}}}, true);'
    how = "Real" if defined.type == "Float" else "Attribute"
    return f"call.{how}({defined.default[0]});"


def _step(parameter: Parameter, defined: Defined, transposed: bool) -> str:
    if parameter.kind in ("input", "output"):
        may = "true" if parameter.optional else "false"
        last = transposed if parameter.kind == "input" else defined.required
        words = f'{parameter.name}, "{parameter.name}", {may}, {"true" if last else "false"}'
        return f"call.{defined.kind}({words});"
    if parameter.kind == "int array":
        numbers = ", ".join(map(str, defined.default or ()))
        has = "false" if defined.default is None else "true"
        return f'call.List({parameter.name}, "{parameter.name}", {{{numbers}}}, {has});'
    how = "Real" if parameter.kind in REALS else "Attribute"
    return f"call.{how}({parameter.name});"
