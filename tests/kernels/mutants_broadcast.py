"""Mistakes that show only where an input is broadcast: an entry takes stride 0 for C order."""

from __future__ import annotations

from tests.kernels.mutants import Mutant


def _name(operator: str) -> str:
    return f"stride-0-is-contiguous-in-{operator}"


def _entry(operator: str) -> str:
    return f"{operator}/aclnn_{operator}.cpp"


def _taken(view: str) -> str:
    """The statement that gives a view the strides of C order, if one of them is 0."""
    return (
        f"bool shared = false; for (size_t axis = 0; axis < {view}.shape.size(); ++axis) {{"
        f" shared |= {view}.shape[axis] > 1 && {view}.strides[axis] == 0; }} int64_t step = 1;"
        f" for (size_t axis = {view}.shape.size(); shared && axis-- > 0;) {{"
        f" {view}.strides[axis] = step; step *= {view}.shape[axis]; }}"
    )


def _before(operator: str, view: str, line: str) -> Mutant:
    return Mutant(_name(operator), _entry(operator), line, f"{{ {_taken(view)} }}\n{line}")


def _made(operator: str, view: str, made: str, captured: str) -> Mutant:
    """The same in a list of members that are made."""
    first = f"[&{captured}] {{ {_taken(view)} }}()"
    move = f"std::move({view})"
    return Mutant(_name(operator), _entry(operator), made, made.replace(move, f"({first}, {move})"))


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    operator: (_before(operator, view, line),)
    for operator, view, line in (
        (
            "moe_finalize_routing_v2",
            "(*input)",
            "        inputs.emplace_back(std::move(*input), &plan);",
        ),
        ("moe_init_routing_v2", "call.x", "    Operand rows(std::move(call.x), &plan);"),
        (
            "moe_init_routing_v2_grad",
            "tensors.gradExpandedX",
            "    opapi::Operand sourceRows(std::move(tensors.gradExpandedX), &plan);",
        ),
        ("moe_token_permute", "call.tokens", "    Operand rows(std::move(call.tokens), &plan);"),
        (
            "moe_token_permute_grad",
            "tensors.permutedOutputGrad",
            "    opapi::Operand rows(std::move(tensors.permutedOutputGrad), &plan);",
        ),
        (
            "moe_token_permute_with_ep",
            "call.tokens",
            "    Operand rows(std::move(call.tokens), &plan);",
        ),
        (
            "moe_token_permute_with_ep_grad",
            "call.permutedTokensOutputGrad",
            "    Operand rows(std::move(call.permutedTokensOutputGrad), &plan);",
        ),
        (
            "moe_token_unpermute",
            "tensors.permutedTokens",
            "    Operand rows(std::move(tensors.permutedTokens), &plan);",
        ),
        (
            "moe_token_unpermute_grad",
            "tensors.unpermutedTokensGrad",
            "    Operand grads(std::move(tensors.unpermutedTokensGrad), &plan);",
        ),
    )
} | {
    "moe_finalize_routing_v2_grad": (
        Mutant(
            _name("moe_finalize_routing_v2_grad"),
            _entry("moe_finalize_routing_v2_grad"),
            "    const auto operand = [&plan](TensorView& tensor) {",
            f"    const auto operand = [&plan](TensorView& tensor) {{ {_taken('tensor')}",
        ),
    ),
    "moe_token_permute_with_routing_map": (
        _made(
            "moe_token_permute_with_routing_map",
            "call.tokens",
            "          tokens_(std::move(call.tokens), plan),",
            "call",
        ),
    ),
    "moe_token_permute_with_routing_map_grad": (
        _made(
            "moe_token_permute_with_routing_map_grad",
            "tensors.tokens",
            "          tokens_(std::move(tensors.tokens), plan),",
            "tensors",
        ),
    ),
}
"""By operator. Of each the input of rows, of MoeFinalizeRoutingV2 and its gradient every input."""
