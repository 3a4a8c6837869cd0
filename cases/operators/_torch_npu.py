"""How torch_npu 2.13 reaches the operators of the family, and which it does not reach.

Functions and parameters: op-plugin, op_plugin/config/op_plugin_functions.yaml; what they add before
the two-phase call: the files of op_plugin/ops/opapi that carry them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conformance.call.case import Case
from conformance.record.clause import Clause, source_read
from conformance.record.derive.torch_call import bound
from conformance.record.signature import Signature
from conformance.record.torch_binding import Binding, Unreached

PLUGIN = "op-plugin, op_plugin/ops/opapi"
FUNCTIONS = "op-plugin, op_plugin/config/op_plugin_functions.yaml"


def added(text: str) -> Clause:
    """A clause of what torch_npu itself does."""
    return source_read(text, PLUGIN)


def bound_by_names(
    signature: Signature,
    function: str,
    /,
    *adds: str,
    unreached: Callable[[Case], str] | None = None,
    two_phase: tuple[str, ...] = (),
    **renamed: str,
) -> Binding:
    """The binding of a function that takes all inputs and attributes in the order of the interface,
    and returns all outputs. Keywords are the names of the parameters, but for those ``renamed``;
    ``adds`` says what torch_npu itself does.

    Raises ValueError for a parameter that the signature lacks.
    """
    keywords = {name: keyword for keyword, name in renamed.items()}
    results = tuple(one.name for one in signature.tensors if one.role == "output")
    given = [one.name for one in signature.parameters if one.name not in results]
    for name in keywords.keys() - set(given):
        raise ValueError(f"{name}: {signature.operator} has no such input or attribute")
    arguments = {keywords.get(name, name): name for name in given}
    found = bound(signature, function, results, tuple(map(added, adds)), **arguments)
    return replace(found, unreached=unreached, two_phase=two_phase)


NO_FUNCTION = "no function of torch_npu calls it"

BINDINGS: Mapping[str, Unreached] = {
    "moe_init_routing_quant": Unreached(
        "npu_moe_init_routing_quant calls aclnnMoeInitRoutingQuantV2, another operator"
    ),
    "moe_init_routing_v2": Unreached(
        "npu_moe_init_routing_v2 calls aclnnMoeInitRoutingV3, another operator"
    ),
    "moe_init_routing_v2_grad": Unreached(NO_FUNCTION),
    "moe_finalize_routing": Unreached(
        "npu_moe_finalize_routing calls it only where CANN has neither V2 nor V4"
    ),
    "moe_finalize_routing_v2_grad": Unreached(NO_FUNCTION),
    "moe_finalize_routing_v3": Unreached(NO_FUNCTION),
    "moe_token_permute_with_ep": Unreached(NO_FUNCTION),
    "moe_token_permute_with_ep_grad": Unreached(NO_FUNCTION),
    "moe_token_unpermute_with_ep": Unreached(NO_FUNCTION),
    "moe_token_unpermute_with_ep_grad": Unreached(NO_FUNCTION),
}
"""By operator; sources: ``FUNCTIONS`` and the names that the wheel's library looks up."""
