"""Operators of PyTorch itself on the simulated device, carried out by PyTorch's CPU kernels.

The simulated device has the operators of its libopapi.so and no other: no addition, no product of
matrices. Device memory is host memory there, so a tensor on it can be read as a tensor on the CPU
that shares its memory; what a program needs between the operators under judgement is computed so.

This says nothing of an NPU, and is never on by itself: `activate` must be called, in a process that
simulates.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

NATIVE = frozenset(
    {
        *("empty", "empty_strided", "empty_like", "set_", "resize_", "_resize_output_"),
        *("to", "_to_copy", "_copy_from_and_resize", "record_stream"),
        *("is_pinned", "_pin_memory", "pin_memory"),
    }
)
"""What torch_npu does by itself, without an operator of CANN: memory. So are views."""

ON_CPU = ("CPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
"""Under which of PyTorch's dispatch keys a kernel serves the CPU."""


def activate(torch: Any) -> int:
    """Have the CPU kernels serve the device ``npu``; how many operators they serve.

    Raises RuntimeError where the runtime is not the simulator.
    """
    if not hasattr(ctypes.CDLL("libascendcl.so"), "ascendsimConfigure"):
        raise RuntimeError("fallback: the runtime is not the simulator: an NPU has kernels itself")
    library = torch.library.Library("aten", "IMPL", "PrivateUse1")
    composed = torch.library.Library("aten", "IMPL", "AutogradPrivateUse1")
    served = 0
    for name in torch._C._dispatch_get_all_op_names():
        space, _, operator = name.partition("::")
        base, _, overload = operator.partition(".")
        if space != "aten" or base in NATIVE:
            continue
        function = getattr(getattr(torch.ops.aten, base, None), overload or "default", None)
        if function is None or _is_view(function):
            continue
        if any(_has(torch, name, key) for key in ON_CPU):
            library.impl(operator, _served(torch, function), allow_override=True)
        elif _has(torch, name, "CompositeImplicitAutograd") and _has(torch, name, "PrivateUse1"):
            # torch_npu has a kernel of its own where PyTorch composes the operator of others.
            for parts in (library, composed):
                parts.impl(operator, function.decompose, allow_override=True)
        else:
            continue
        served += 1
    _kept.extend((library, composed))  # their registrations go with them
    return served


_kept: list[Any] = []


def _has(torch: Any, name: str, key: str) -> bool:
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(name, key))


def _is_view(function: Any) -> bool:
    """Whether what the function answers lies in the memory of what it is given, unchanged."""
    aliases = [one.alias_info for one in function._schema.returns]
    return any(alias is not None and not alias.is_write for alias in aliases)


def _served(torch: Any, function: Any) -> Any:
    def serve(*arguments: Any, **keywords: Any) -> Any:
        shared: dict[int, Any] = {}

        def here(value: Any) -> Any:
            if isinstance(value, torch.Tensor) and value.device.type == "npu":
                alias = on_cpu(torch, value)
                shared[id(alias)] = value
                kept.append(alias)
                return alias
            if isinstance(value, torch.device) and value.type == "npu":
                return torch.device("cpu")
            return _mapped(value, here)

        def there(value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                return shared.get(id(value)) if id(value) in shared else value.to("npu")
            return _mapped(value, there)

        kept: list[Any] = []
        answer = function(*here(arguments), **here(keywords))
        return there(answer)

    return serve


def _mapped(value: Any, change: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: change(one) for name, one in value.items()}
    if isinstance(value, tuple | list) and not isinstance(value, str):
        return type(value)(change(one) for one in value)
    return value


def on_cpu(torch: Any, tensor: Any) -> Any:
    """A tensor on the CPU that shares the memory of one on the simulated device."""
    storage = tensor.untyped_storage()
    if storage.nbytes() == 0:
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    memory = (ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr())
    flat = torch.frombuffer(memory, dtype=torch.uint8)
    return torch.empty(0, dtype=tensor.dtype).set_(
        flat.untyped_storage(), tensor.storage_offset(), tensor.shape, tensor.stride()
    )
