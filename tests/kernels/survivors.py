"""Why mutants survive that do: what each of them changes, or why nobody can see that."""

V2 = "moe_init_routing_v2_grad/moe_init_routing_v2_grad"
WORDS = "the words of a message alone"
SMALLER_LEAST = (
    "a smaller least buffer, which no drawn machine is below; every run compares the exported one"
)

REASONS: dict[str, str] = {
    f"{V2}_kernel.cpp:194 comparison: '<' -> '<='": (
        "a bin is an odd multiple of the stride, their number an even one: they are never equal"
    ),
    f"{V2}_kernel.cpp:217 number: '0' -> '1'": "the last 0 is a reserved field; the others are not",
    f"{V2}_tiling.cpp:64 arithmetic: '*' -> '+'": SMALLER_LEAST,
    f"{V2}_tiling.cpp:64 arithmetic: '+' -> '-'": SMALLER_LEAST,
    f"{V2}_tiling.cpp:84 comparison: '==' -> '!='": WORDS,
    f"{V2}_tiling.cpp:84 number: '0' -> '1'": WORDS,
}
