"""Mistakes in the width of the keys of a sort: bits that are dropped, a sign, an overflow.

Keys that are compared as float32 are no mistake: sources sort so, and keys that float32 does not
tell apart are in quarantine.
"""

from __future__ import annotations

from tests.kernels.mutants import Mutant

UNSIGNED = "std::make_unsigned_t<Key>"


def _keyed(name: str, key: str) -> Mutant:
    """Keys are compared as an expression of ``key`` instead."""
    return Mutant(
        name,
        "shared/sorting/stable_sort_kernel.h",
        "        AscendC::Cast(scores, raw, RoundMode::CAST_RINT, static_cast<uint32_t>(count));\n",
        "        AscendC::PipeBarrier<PIPE_ALL>();\n"
        "        for (int32_t i = 0; i < count; ++i) {\n"
        "            const Key key = raw.GetValue(i);\n"
        f"            scores.SetValue(i, static_cast<float>({key}));\n"
        "        }\n"
        "        AscendC::PipeBarrier<PIPE_ALL>();\n",
        least_indices=2,
    )


def _cut(bits: int, width: int) -> Mutant:
    """Of keys of so many bits of ``width`` the lowest are kept, with the sign of the last."""
    lost = width - bits
    unsigned = f"static_cast<uint{width}_t>(key) << {lost}"
    return _keyed(f"keys-cut-to-{bits}-bits", f"static_cast<int{width}_t>({unsigned}) >> {lost}")


OF_EACH_WIDTH = (
    _cut(16, 32),
    _cut(24, 32),
    _cut(31, 32),
    _keyed("keys-compared-as-unsigned", f"static_cast<{UNSIGNED}>(key)"),
    _keyed(
        "keys-moved-by-a-base-that-overflows",
        f"static_cast<Key>(static_cast<{UNSIGNED}>(key)"
        f" + (static_cast<{UNSIGNED}>(1) << (8 * sizeof(Key) - 2)))",
    ),
    _keyed(
        "ends-of-keys-moved-by-one-that-overflows",
        f"static_cast<Key>(static_cast<{UNSIGNED}>(key) + 1)",
    ),
)
OF_64_BITS = (
    _cut(32, 64),
    _cut(40, 64),
    _cut(48, 64),
    _cut(63, 64),
    _keyed("keys-cut-to-32-bits-without-sign", "static_cast<uint32_t>(key)"),
    _keyed(
        "keys-above-31-bits-all-equal",
        "static_cast<int64_t>(key) > 2147483647 ? 2147483647 : static_cast<int64_t>(key)",
    ),
)
MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_token_permute": (*OF_EACH_WIDTH, *OF_64_BITS),
    "moe_token_permute_with_ep": (*OF_EACH_WIDTH, *OF_64_BITS),
    "moe_init_routing": OF_EACH_WIDTH[:2],
    "moe_init_routing_v2": OF_EACH_WIDTH,
}
"""By operator: those that sort by indices, the versions of MoeInitRouting by int32 alone. The first
gives its keys back, so that they are of 25 bits."""
