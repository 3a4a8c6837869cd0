"""Why mutants survive that do: what each of them changes, or why nobody can see that."""

V2 = "moe_init_routing_v2_grad/moe_init_routing_v2_grad"
SMALLER_LEAST = (
    "a smaller least buffer, which no drawn machine is below; every run compares the exported one"
)

REASONS: dict[str, str] = {
    f"{V2}_kernel.cpp:197 comparison: '<' -> '<='": (
        "a bin is an odd multiple of the stride, their number an even one: they are never equal"
    ),
    f"{V2}_kernel.cpp:220 number: '0' -> '1'": "the last 0 is a reserved field; the others are not",
    f"{V2}_tiling.cpp:63 arithmetic: '*' -> '+'": SMALLER_LEAST,
    f"{V2}_tiling.cpp:63 arithmetic: '+' -> '-'": SMALLER_LEAST,
    "moe_gating_top_k_softmax_v2/moe_gating_top_k_softmax_v2_tiling.cpp:16 number: '0' -> '1'": (
        "a softmax is written that no flag asks for, and of that output nothing is promised"
    ),
    "shared/gating/gating_batch_kernel.h:31 comparison: '<' -> '<='": (
        "an empty copy more at the end of a share: of that the device warns, the outputs are right"
    ),
    "shared/gating/gating_batch_kernel.h:36 arithmetic: '*' -> '+'": (
        "NaN stays in lanes behind the first rows: a row with NaN is selected in any way"
    ),
    "shared/gating/group_gate_kernel.h:93"
    " statement: 'ReplaceNan(ub_.keys, Infinity(), ub_.work, ub_.all);' -> ';'": (
        "NaN stays among the keys: a row with NaN is selected in any way"
    ),
    "shared/routing/routed_rows_kernel.h:135 comparison: '<' -> '<='": (
        "an empty copy more at the end of a share: of that the device warns, the rows are right"
    ),
    "shared/routing/slot_counts_kernel.h:115 comparison: '<' -> '<='": (
        "an empty copy more at the end of a share: of that the device warns, the zeros are right"
    ),
    "shared/routing/slot_counts_kernel.h:126 comparison: '<' -> '<='": (
        "an empty tile more behind the experts: of its copy the device warns, the counts are right"
    ),
    "shared/routing/slot_counts_kernel.h:142 comparison: '<' -> '<='": (
        "an empty copy more at the end of a share: of that the device warns, the counts are right"
    ),
    "shared/routing/slot_counts_kernel.h:167 comparison: '>' -> '>='": (
        "an empty copy where a tile has no expert: of that the device warns, the counts are right"
    ),
    "shared/rows/row_sum_cut.h:14 number: '2' -> '3'": (
        "narrower tiles give the same sums, and no drawn machine is below the larger least buffer"
    ),
    "shared/rows/row_sum_cut.h:54 arithmetic: '*' -> '+'": SMALLER_LEAST,
    "shared/rows/row_sum_cut.h:59 comparison: '<=' -> '<'": (
        "where nothing is left, 0 columns fit too"
    ),
    "shared/rows/row_sum_cut.h:78 number: '0' -> '1'": (
        "a call on so small a buffer was refused before"
    ),
    "shared/rows/row_sum_kernel.h:141 number: '4' -> '5'": (
        "the most buffers that a queue may have: the tiling asks for 4 at most"
    ),
    "shared/rows/row_sum_kernel.h:290 number: '0' -> '1'": (
        "strides of a copy of one block, and a reserved field"
    ),
    "shared/rows/zero_fill_kernel.h:20 comparison: '<' -> '<='": (
        "an empty copy more at the end of a share: of that the device warns, the zeros are right"
    ),
    "shared/sorting/stable_sort_kernel.h:225 comparison: '<' -> '<='": (
        "an empty list more in the last merge: of its copies the device warns, the ranks are right"
    ),
    "shared/sorting/stable_sort_kernel.h:291 comparison: '<' -> '<='": (
        "an empty copy more at the end of a list: of that the device warns, the outputs are right"
    ),
    "shared/slots/slot_copy_kernel.h:79 comparison: '<' -> '<='": (
        "an empty batch more at the end of a share: of that the device warns, the rows are right"
    ),
    "shared/slots/slot_grad_kernel.h:108 comparison: '<' -> '<='": (
        "an empty batch more at the end of a share: of that the device warns, the gradients are"
        " right"
    ),
    "shared/slots/slot_sum_kernel.h:53 comparison: '<' -> '<='": (
        "an empty copy more at the end of a share: of that the device warns, the sums are right"
    ),
}
