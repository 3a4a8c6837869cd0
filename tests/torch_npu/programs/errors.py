"""What a program sees where a call fails: prints, as JSON, the class and text of each failure."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from conformance.devices.torch_npu.simulate import simulate

torch_npu = simulate(Path(os.environ["SUITE_LIBRARIES"]))
import torch  # noqa: E402

TOKENS = torch.arange(6.0).reshape(3, 2)
EXPERTS = torch.tensor([[0, 1], [1, 2], [2, 0]], dtype=torch.int32)


def told(call: Callable[[], object]) -> list[str]:
    try:
        call()
    except RuntimeError as error:
        return [type(error).__name__, str(error)]
    return ["", ""]


def works() -> bool:
    rows, ranks = torch_npu.npu_moe_token_permute(TOKENS.to("npu"), EXPERTS.to("npu"))
    order = torch.argsort(EXPERTS.flatten(), stable=True)
    return torch.equal(rows.cpu(), TOKENS[order // 2]) and ranks.dtype == torch.int32


free, total = torch.npu.mem_get_info()
seen = {
    "free and total": [free, total],
    "dtype": told(
        lambda: torch_npu.npu_moe_token_permute(TOKENS.double().to("npu"), EXPERTS.to("npu"))
    ),
    "padded": told(
        lambda: torch_npu.npu_moe_token_permute(
            TOKENS.to("npu"), EXPERTS.to("npu"), padded_mode=True
        )
    ),
    "dims": told(
        lambda: torch_npu.npu_moe_token_permute(TOKENS.flatten().to("npu"), EXPERTS.to("npu"))
    ),
    "after refusals": works(),
    "memory": told(lambda: torch.empty(total, dtype=torch.uint8, device="npu")),
    "after exhaustion": works(),
    "addition": told(lambda: TOKENS.to("npu") + 1),
    "after a missing operator": works(),
}
print(json.dumps(seen))
