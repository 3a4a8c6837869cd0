"""How torch_npu 2.13 reaches the operators of the family, and which it does not reach.

Functions and parameters: op-plugin, op_plugin/config/op_plugin_functions.yaml; what they add before
the two-phase call: the files of op_plugin/ops/opapi that carry them out.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.call.case import Case
from conformance.record.clause import Clause, source_read
from conformance.record.torch_binding import Binding, Given, Unreached, Value

PLUGIN = "op-plugin, op_plugin/ops/opapi"
FUNCTIONS = "op-plugin, op_plugin/config/op_plugin_functions.yaml"


def given(**tensors: str) -> dict[str, Value]:
    """Keywords of torch_npu, each with the tensor of the case that it is given."""
    return {keyword: Given(name) for keyword, name in tensors.items()}


def flag(case: Case, name: str) -> bool:
    """An attribute of the case as torch_npu takes it."""
    return bool(case.attributes[name])


def number(case: Case, name: str) -> int:
    """An attribute of the case that is one integer."""
    value = case.attributes[name]
    assert isinstance(value, int)
    return value


def added(text: str) -> Clause:
    """A clause of what torch_npu itself does."""
    return source_read(text, PLUGIN)


def _routing_map(case: Case) -> Mapping[str, Value]:
    return given(tokens="tokens", routing_map="routing_map", probs="probs") | {
        "num_out_tokens": number(case, "num_out_tokens"),
        "drop_and_pad": flag(case, "drop_and_pad"),
    }


def _not_mapped(case: Case) -> str:
    divisor = case.inputs["routing_map"].shape[1 if flag(case, "drop_and_pad") else 0]
    return "" if divisor else "torch_npu divides by the map's tokens or experts: there are none"


NO_FUNCTION = "no function of torch_npu calls it"

BINDINGS: Mapping[str, Binding | Unreached] = {
    "moe_token_permute_with_routing_map": Binding(
        "npu_moe_token_permute_with_routing_map",
        _routing_map,
        ("permute_tokens", "permute_probs", "sorted_indices"),
        (
            added(
                "numOutTokens is rounded down to a multiple of the tokens, of the experts with"
                " dropAndPad; left out it is the number of tokens, one expert each"
            ),
        ),
        _not_mapped,
    ),
    "moe_init_routing_v2": Unreached(
        "npu_moe_init_routing_v2 calls aclnnMoeInitRoutingV3, another operator"
    ),
    "moe_init_routing_v2_grad": Unreached(NO_FUNCTION),
    "moe_finalize_routing_v2_grad": Unreached(NO_FUNCTION),
    "moe_token_permute_with_ep": Unreached(NO_FUNCTION),
    "moe_token_permute_with_ep_grad": Unreached(NO_FUNCTION),
}
"""By operator; sources: ``FUNCTIONS`` and the names that the wheel's library looks up."""
