"""Whether some call shows a kernel's seeded mistake: `python -m tests.kernels.shown_mutants`.

The calls are those of the operators' value tests, whose results come from loops over the document's
formula: no record, contract or strategy takes part. Ends with status 1 where one is not shown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from conformance.call.observation import Outcome
from conformance.devices.open import open_device
from conformance.record.operator import Operator
from device_kernels.build import build
from tests.kernels import (
    moe_finalize_routing_v2_grad_values,
    moe_finalize_routing_v2_values,
    moe_init_routing_v2_values,
    moe_token_permute_grad_values,
    moe_token_permute_values,
    moe_token_permute_with_ep_grad_values,
    moe_token_permute_with_routing_map_grad_values,
    moe_token_permute_with_routing_map_values,
    moe_token_unpermute_grad_values,
    moe_token_unpermute_values,
    mutants_moe_finalize_routing_v2,
    mutants_moe_finalize_routing_v2_grad,
    mutants_moe_init_routing_v2,
    mutants_moe_token_permute,
    mutants_moe_token_permute_grad,
    mutants_moe_token_permute_with_ep_grad,
    mutants_moe_token_permute_with_routing_map,
    mutants_moe_token_permute_with_routing_map_grad,
    mutants_moe_token_unpermute,
    mutants_moe_token_unpermute_grad,
)
from tests.kernels.host_tilings import KERNELS
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.mutants import Mutant, apply
from tests.kernels.signatures import (
    FINALIZE_GRAD,
    FINALIZE_V2,
    INIT_ROUTING_V2,
    PERMUTE,
    PERMUTE_EP_GRAD,
    PERMUTE_GRAD,
    ROUTING_MAP,
    ROUTING_MAP_GRAD,
    UNPERMUTE,
    UNPERMUTE_GRAD,
    bits,
)

SUBJECTS = {
    "moe_finalize_routing_v2": (
        FINALIZE_V2,
        mutants_moe_finalize_routing_v2.MUTANTS,
        moe_finalize_routing_v2_values.values,
    ),
    "moe_finalize_routing_v2_grad": (
        FINALIZE_GRAD,
        mutants_moe_finalize_routing_v2_grad.MUTANTS,
        moe_finalize_routing_v2_grad_values.values,
    ),
    "moe_init_routing_v2": (
        INIT_ROUTING_V2,
        mutants_moe_init_routing_v2.MUTANTS,
        moe_init_routing_v2_values.values,
    ),
    "moe_token_permute": (
        PERMUTE,
        mutants_moe_token_permute.MUTANTS,
        moe_token_permute_values.values,
    ),
    "moe_token_permute_grad": (
        PERMUTE_GRAD,
        mutants_moe_token_permute_grad.MUTANTS,
        moe_token_permute_grad_values.values,
    ),
    "moe_token_permute_with_routing_map": (
        ROUTING_MAP,
        mutants_moe_token_permute_with_routing_map.MUTANTS,
        moe_token_permute_with_routing_map_values.values,
    ),
    "moe_token_permute_with_ep_grad": (
        PERMUTE_EP_GRAD,
        mutants_moe_token_permute_with_ep_grad.MUTANTS,
        moe_token_permute_with_ep_grad_values.values,
    ),
    "moe_token_permute_with_routing_map_grad": (
        ROUTING_MAP_GRAD,
        mutants_moe_token_permute_with_routing_map_grad.MUTANTS,
        moe_token_permute_with_routing_map_grad_values.values,
    ),
    "moe_token_unpermute": (
        UNPERMUTE,
        mutants_moe_token_unpermute.MUTANTS,
        moe_token_unpermute_values.values,
    ),
    "moe_token_unpermute_grad": (
        UNPERMUTE_GRAD,
        mutants_moe_token_unpermute_grad.MUTANTS,
        moe_token_unpermute_grad_values.values,
    ),
}


def build_alone(name: str, mutant: Mutant, folder: Path) -> Path:
    """The operator ``name`` with the mistake, and no other one; returns the libraries' folder."""
    apply(mutant, name, KERNELS, folder / mutant.name)
    return build(folder / mutant.name, quiet=True).lib


def shown_by(operator: Operator, lib: Path, values: Iterable[Value]) -> str | None:
    """What first shows that the kernel is wrong; None where every call is answered rightly."""
    with closing(open_device("sim", time_limit=3, libraries=lib)) as device:
        for one in values:
            seen = device.run(operator, one.case)
            if seen.outcome is not Outcome.COMPLETED or seen.diagnostics or seen.guard_damage:
                codes = [found.code for found in seen.diagnostics]
                return f"{one.name}: {seen.outcome.value} {codes}"
            for name, expected in one.expected.items():
                if bits(seen.outputs[name]) != bits(expected):
                    return f"{one.name}: {name} differs"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operators", nargs="*", help=f"of {', '.join(SUBJECTS)}; all if absent")
    parser.add_argument("--mutant", default="", help="one mutant's name; all if absent")
    chosen = parser.parse_args()
    missed = []
    for name in chosen.operators or SUBJECTS:
        operator, mutants, values = SUBJECTS[name]
        for mutant in mutants:
            if chosen.mutant not in ("", mutant.name):
                continue
            with tempfile.TemporaryDirectory() as folder:
                lib = build_alone(name, mutant, Path(folder))
                shown = shown_by(operator, lib, values())
            print(f"{mutant.name:50} {shown or 'NOT SHOWN'}", flush=True)
            if shown is None:
                missed.append(mutant.name)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
