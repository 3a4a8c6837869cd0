"""Two devices that are called alike: what the second answers stands beside the first's answer."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.devices.device import Device, DeviceProfile
from conformance.record.call_rules import Limit
from conformance.record.operator import Operator


class Pair:
    """A device that judges two. ``records`` are the operators on the route of the second, of which
    it has those that are ``called`` (None: all).

    What is known of it, and its limits, are those of the first.
    """

    def __init__(
        self,
        first: Device,
        second: Device,
        records: Mapping[str, Operator],
        called: Container[str] | None = None,
    ) -> None:
        self.first, self.second, self.records, self._called = first, second, records, called

    @property
    def profile(self) -> DeviceProfile:
        """That of the first."""
        return self.first.profile

    def run(self, operator: Operator, case: Case) -> Observation:
        """Call both; see ``Device.run``. A call that the second cannot be asked has no answer
        beside it."""
        seen = self.first.run(operator, case)
        if self._called is not None and operator.name not in self._called:
            return seen
        try:
            other = self.second.run(self.records[operator.name], case)
        except ValueError:  # a route that has no way to break this rule of the interface
            return seen
        return replace(seen, beside=other)

    def limits(self, operator: Operator, asked: Sequence[Limit]) -> tuple[int, ...]:
        """Those of the first."""
        return self.first.limits(operator, asked)

    def renew(self) -> None:
        """Open both anew."""
        self.first.renew()
        self.second.renew()

    def close(self) -> None:
        """Close both."""
        try:
            self.first.close()
        finally:
            self.second.close()

    def __getattr__(self, name: str) -> Any:
        """Of a card what the first says."""
        return getattr(self.first, name)
