"""The routes: how a device process reaches an implementation. A new one is chosen here.

Its name stands in `conformance.record.operator.ROUTES`, the function that it calls in
`Operator.symbol`; what an operator has on it, says `conformance.suite.on_route`. Routes aclnn and
kernel call two phases alike: both are an `AclnnRoute`.
"""

from __future__ import annotations

from pathlib import Path

from conformance.devices.acl import Acl
from conformance.devices.aclnn_route import AclnnRoute
from conformance.devices.messages import Setup
from conformance.devices.segment import Segment
from conformance.devices.torch_npu.activate import over_cann, over_simulator
from conformance.devices.torch_npu.route import TorchNpuRoute
from conformance.record.torch_binding import TORCH_NPU

Route = AclnnRoute | TorchNpuRoute


def route_of(acl: Acl, segment: Segment, setup: Setup) -> Route:
    """How operators are called in this process."""
    if setup.route != TORCH_NPU:
        return AclnnRoute(acl, segment, acl.create_stream(), setup.soc)
    if setup.kind == "npu":
        return TorchNpuRoute(acl, segment, over_cann(setup.device), setup.soc)
    torch_npu = over_simulator(Path(setup.libraries or ""), Path(setup.shims or ""))
    return TorchNpuRoute(acl, segment, torch_npu, setup.soc)
