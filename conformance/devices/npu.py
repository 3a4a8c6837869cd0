"""An NPU: a device on a claimed card, which takes another card where that one is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conformance.call.case import Case
from conformance.call.observation import Diagnostic, Observation
from conformance.catalogue import cards as say
from conformance.catalogue.device import ANSWERED, PROBES_NOT_SET
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.devices import cards as locks
from conformance.devices.card_errors import Loss, in_words, loss_of
from conformance.devices.cards import Busy, Card, Claim
from conformance.devices.device import DeviceProfile
from conformance.devices.isolated import DeviceRefused, IsolatedDevice
from conformance.devices.probes import FOLDER, Open
from conformance.errors import EnvironmentFailure, text_of
from conformance.printable import warn
from conformance.record.call_rules import Limit
from conformance.record.operator import Operator

ASKED_AGAIN = "context-lost"
"""The code of the note of a call that was made again in a new process (docs/how-to/npu-host.md)."""


class NpuDevice:
    """A Device on the first of ``cards`` that is free; ``place`` is the folder of their locks.

    ``open_probes`` opens the suite's own kernels in a process beside the judged one, None: they are
    not on this host.
    """

    def __init__(
        self,
        cards: Sequence[Card],
        place: Path,
        open_card: Open,
        open_probes: Open | None = None,
    ) -> None:
        """Claim a card and open it.

        Raises ValueError for a card that does not exist, EnvironmentFailure where none opens.
        """
        self._cards, self._place, self._open_card = list(cards), place, open_card
        self._open_probes = open_probes
        self._lost: list[str] = []
        self._ended = ""
        self._claim, self._device = self._take()

    @property
    def profile(self) -> DeviceProfile:
        """What is known of the device."""
        return self._device.profile

    @property
    def card(self) -> Card:
        """The card that is judged on now."""
        return self._claim.card

    @property
    def lost(self) -> tuple[str, ...]:
        """The cards that gave way to another, each with the reason."""
        return tuple(self._lost)

    @property
    def _lost_words(self) -> str:
        return row(self._lost, SEMICOLON)

    @property
    def free_cards(self) -> int:
        """How many processes could judge on these cards once this one has closed its device."""
        others = [card for card in self._cards if card.number != self.card.number]
        return 1 + locks.free(others, self._place)

    def run(self, operator: Operator, case: Case) -> Observation:
        """Run one case; see ``Device.run``.

        Where the context is lost the call is made once more in a new process, and what that
        observes stands. Where the card is lost, the call is made on another, and on a third no
        more: a kernel may be what loses them. Raises EnvironmentFailure then, and where no other
        card is to be had.
        """
        if self._ended:
            raise EnvironmentFailure(self._ended)
        notes: list[Diagnostic] = []
        reopened = 0
        moved = False
        while True:
            try:
                observation = self._device.run(operator, case)
            except DeviceRefused as refused:
                if not _is_lost(refused):
                    raise
                reason = text_of(refused)
            else:
                reopened += observation.reopened
                loss = loss_of(observation.status)
                reason = ANSWERED(function=observation.phase, status=in_words(observation.status))
                if observation.message:
                    first = observation.message.splitlines()[0]
                    reason = say.WITH_REASON(what=reason, reason=first)
                if loss is Loss.CONTEXT and not notes:
                    notes.append(_note(say.MADE_AGAIN(card=self.card.words, reason=reason)))
                    continue
                if loss is not Loss.CARD:
                    found = (*observation.diagnostics, *notes)
                    return replace(observation, diagnostics=found, reopened=reopened)
            self._lose(reason)
            if moved:
                raise self._end(say.TWO_LOST(operator=operator.name, lost=self._lost_words))
            moved = True
            self._move()

    def limits(self, operator: Operator, asked: Sequence[Limit]) -> tuple[int, ...]:
        """What the kernels say of their limits; see ``Device.limits``."""
        return self._device.limits(operator, asked)

    def times(self, operator: Operator, case: Case, warm: int, times: int) -> tuple[float, ...]:
        """Seconds of phase two; see ``IsolatedDevice.times``."""
        return self._device.times(operator, case, warm, times)

    def probes(self) -> IsolatedDevice:
        """The suite's own kernels on the same card; their user closes it.

        Raises EnvironmentFailure where they are not on this host, or do not open.
        """
        if self._open_probes is None:
            raise EnvironmentFailure(PROBES_NOT_SET(variable=FOLDER))
        return self._open_probes(self.card)

    def adopt(self, profile: DeviceProfile) -> None:
        """Keep what was found out of the card; what is known of its functions, of the next too."""
        self._device.adopt(profile)

    def renew(self) -> None:
        """Open the card anew, or another where it is lost; see ``Device.renew``."""
        if self._ended:
            raise EnvironmentFailure(self._ended)
        try:
            self._device.renew()
        except DeviceRefused as refused:
            if not _is_lost(refused):
                raise
            self._lose(text_of(refused))
            self._move()

    def close(self) -> None:
        """End the process and give the card back. Closing twice is harmless."""
        try:
            self._device.close()
        finally:
            self._claim.release()

    def _take(self) -> tuple[Claim, IsolatedDevice]:
        while self._cards:
            claim = locks.claim(self._cards, self._place)
            try:
                device = self._open_card(claim.card)
            except DeviceRefused as refused:
                if not _is_lost(refused):
                    claim.release()
                    raise
                self._out(claim, text_of(refused))
                continue
            except BaseException:
                claim.release()
                raise
            try:
                return self._as_the_runtime_numbers(claim, device), device
            except BaseException as error:
                device.close()
                claim.release()
                if not isinstance(error, Busy):
                    raise
                self._cards.remove(claim.card)
                self._lost.append(text_of(error))
        raise EnvironmentFailure(say.NONE_LEFT(lost=self._lost_words))

    def _as_the_runtime_numbers(self, claim: Claim, device: IsolatedDevice) -> Claim:
        """The claim of the card that was really opened: in a container whose nodes have numbers of
        their own, the runtime knows the physical one. Raises `Busy`.
        """
        physical = device.physical
        if physical is None or physical == claim.card.physical:
            return claim
        other = Claim(Card(claim.card.number, physical), self._place)
        claim.release()
        self._cards = [other.card if card == claim.card else card for card in self._cards]
        return other

    def _lose(self, reason: str) -> None:
        self._device.close()
        self._out(self._claim, reason)

    def _out(self, claim: Claim, reason: str) -> None:
        """Lock a card out, and let go of it."""
        text = say.LOST(card=claim.card.words, reason=reason)
        warn(say.IS_LOCKED_OUT(what=text))
        self._lost.append(text)
        self._cards.remove(claim.card)
        locks.lock_out(claim.card, self._place, reason)
        claim.release()

    def _move(self) -> None:
        """Go on with another card of the same kind."""
        before = self._device.profile
        try:
            self._claim, self._device = self._take()
        except EnvironmentFailure as failure:
            lost, told = self._lost_words, text_of(failure)
            known = told.endswith(lost)
            raise self._end(told if known else row([lost, told], SEMICOLON)) from None
        if self._device.profile.soc != before.soc:
            socs = {"soc": self._device.profile.soc, "judged": before.soc}
            other = say.OTHER_SOC(card=self.card.words, **socs)
            self.close()
            raise self._end(row([self._lost_words, other], SEMICOLON))
        self.adopt(replace(self._device.profile, functions=before.functions))

    def _end(self, told: str) -> EnvironmentFailure:
        """The failure after which nothing more is judged here, and every call says so."""
        self._ended = told
        return EnvironmentFailure(told)


def _is_lost(refused: DeviceRefused) -> bool:
    """Whether the card is what does not open: a dead one answers its own status, or nothing."""
    return refused.hung or loss_of(refused.status) is Loss.CARD


def _note(text: str) -> Diagnostic:
    return Diagnostic(ASKED_AGAIN, "note", text)
