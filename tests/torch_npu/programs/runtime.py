"""What torch_npu makes of the simulated runtime besides operators: prints what it saw, as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

from conformance.devices.torch_npu.simulate import simulate

torch_npu = simulate(Path(os.environ["SUITE_LIBRARIES"]))
import torch  # noqa: E402

VALUES = torch.arange(4096, dtype=torch.float32)

seen: dict[str, object] = {
    "devices": torch.npu.device_count(),
    "available": torch.npu.is_available(),
    "name": torch.npu.get_device_name(0),
    "cores": torch.npu.get_device_properties(0).vector_core_num,
}

start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
stream = torch.npu.Stream()
start.record()
with torch.npu.stream(stream):
    there = VALUES.to("npu", non_blocking=True)
    end.record(stream)
stream.wait_event(start)
end.synchronize()
torch.npu.synchronize()
seen["stream is done"] = stream.query() and end.query()
seen["milliseconds"] = start.elapsed_time(end)
seen["copied"] = torch.equal(there.cpu(), VALUES)

first = VALUES.to("npu")
before, address = torch.npu.memory_allocated(), first.data_ptr()
del first
seen["freed"] = before - torch.npu.memory_allocated()
again = VALUES.to("npu")
seen["block is used again"] = again.data_ptr() == address
seen["reserved"] = torch.npu.memory_reserved()
seen["aligned"] = address % 512 == 0

back = torch.empty(4096, pin_memory=True)
back.copy_(again, non_blocking=True)
torch.npu.synchronize()
seen["pinned"] = torch.equal(back, VALUES)
view = again.view(64, 64)[3]
seen["view"] = torch.equal(view.cpu(), VALUES.view(64, 64)[3])
seen["halves"] = str(VALUES.to(torch.bfloat16).to("npu").dtype)
print(json.dumps(seen))
