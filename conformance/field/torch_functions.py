"""The parameters of torch_npu's functions: which may be given by position, and what is left out.

Facts of the schemas in torch_npu 2.14 (op-plugin, op_plugin_functions.yaml). A parameter without a
default must be given. Nothing is read of functions that are not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Default = bool | int | float | tuple[int, ...] | None


@dataclass(frozen=True)
class Parameters:
    """The names in order; the first ``by_position`` may stand without a name. ``defaults`` has what
    a parameter is that is not given, or None; an optional tensor is None."""

    names: tuple[str, ...]
    by_position: int
    defaults: Mapping[str, Default] = field(default_factory=dict)


def _of(positional: str, keyword: str = "", /, **defaults: Default) -> Parameters:
    first, others = positional.split(), keyword.split()
    return Parameters((*first, *others), len(first), defaults)


_GATING: Mapping[str, Default] = {
    "k_group": 1,
    "group_count": 1,
    "group_select_mode": 0,
    "renorm": 0,
    "norm_type": 0,
    "out_flag": False,
    "routed_scaling_factor": 1.0,
    "eps": 1e-20,
}
_UNPERMUTED: Mapping[str, Default] = {"probs": None, "padded_mode": False, "restore_shape": None}
_BY_MAP = _of(
    "permuted_tokens sorted_indices restore_shape",
    "probs routing_map drop_and_pad",
    probs=None,
    routing_map=None,
    drop_and_pad=False,
)

FUNCTIONS: Mapping[str, Parameters] = {
    "npu_moe_compute_expert_tokens": _of("sorted_expert_for_source_row num_expert"),
    "npu_moe_finalize_routing": _of(
        "expanded_permuted_rows skip1 skip2 bias scales expanded_src_to_dst_row"
        " export_for_source_row drop_pad_mode k",
        drop_pad_mode=0,
        k=1,
    ),
    "npu_moe_gating_top_k": _of(
        "x k",
        "bias input_ids tid2eid k_group group_count group_select_mode renorm norm_type out_flag"
        " routed_scaling_factor eps",
        bias=None,
        input_ids=None,
        tid2eid=None,
        **_GATING,
    ),
    "npu_moe_gating_top_k_backward": _of(
        "x_norm grad_y expertIdx",
        "renorm norm_type routed_scaling_factor eps",
        renorm=0,
        norm_type=0,
        routed_scaling_factor=1.0,
        eps=1e-20,
    ),
    "npu_moe_gating_top_k_softmax": _of("x finished k", finished=None, k=1),
    "npu_moe_gating_top_k_softmax_v2": _of(
        "x", "k finished renorm output_softmax", k=1, finished=None, renorm=0, output_softmax=False
    ),
    "npu_moe_init_routing": _of("x row_idx expert_idx active_num"),
    "npu_moe_init_routing_quant": _of(
        "x expert_idx",
        "scale offset active_num expert_capacity expert_num drop_pad_mode expert_tokens_num_mode"
        " expert_tokens_before_capacity_flag quant_mode",
        scale=None,
        offset=None,
        active_num=1024,
        expert_capacity=0,
        expert_num=256,
        drop_pad_mode=0,
        expert_tokens_num_mode=0,
        expert_tokens_before_capacity_flag=False,
        quant_mode=1,
    ),
    "npu_moe_init_routing_v2": _of(
        "x expert_idx",
        "scale offset active_num expert_capacity expert_num drop_pad_mode expert_tokens_num_type"
        " expert_tokens_num_flag quant_mode active_expert_range row_idx_type x_dtype",
        scale=None,
        offset=None,
        active_num=-1,
        expert_capacity=-1,
        expert_num=-1,
        drop_pad_mode=0,
        expert_tokens_num_type=0,
        expert_tokens_num_flag=False,
        quant_mode=-1,
        active_expert_range=(),
        row_idx_type=0,
        x_dtype=None,
    ),
    "npu_moe_re_routing": _of(
        "tokens expert_token_num_per_rank",
        "per_token_scales expert_token_num_type idx_type tokens_dtype",
        per_token_scales=None,
        expert_token_num_type=1,
        idx_type=0,
        tokens_dtype=None,
    ),
    "npu_moe_token_permute": _of(
        "tokens indices num_out_tokens padded_mode", num_out_tokens=0, padded_mode=False
    ),
    "npu_moe_token_permute_grad_v2": _of(
        "grad_permuted_tokens sorted_indices tokens_size_0 tokens_dtype num_topK padded_mode",
        padded_mode=False,
    ),
    "npu_moe_token_permute_with_routing_map": _of(
        "tokens routing_map",
        "probs num_out_tokens drop_and_pad",
        probs=None,
        num_out_tokens=None,
        drop_and_pad=False,
    ),
    "npu_moe_token_permute_with_routing_map_grad": _of(
        "permuted_token_out_grad probs_grad sorted_indices routing_map experts_num tokens_num"
        " drop_and_pad"
    ),
    "npu_moe_token_unpermute": _of(
        "permuted_tokens sorted_indices probs padded_mode restore_shape", **_UNPERMUTED
    ),
    "npu_moe_token_unpermute_grad": _of(
        "permuted_tokens grad_unpermuted_tokens sorted_indices probs padded_mode restore_shape",
        **_UNPERMUTED,
    ),
    "npu_moe_token_unpermute_with_routing_map": _BY_MAP,
    "_npu_moe_token_unpermute_with_routing_map": _BY_MAP,
    "npu_moe_token_unpermute_with_routing_map_grad": _of(
        "unpermuted_tokens_grad out_index permuted_token_id routing_map permuted_tokens probs"
        " drop_and_pad restore_shape"
    ),
}
"""By the function's name."""
