"""Of several failures of one diagnosis, a process makes the first smaller, and no other."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.failure.alike import diagnosis
from conformance.failure.guessed import natures
from conformance.judge.judged import Judged


@dataclass
class KnownDiagnoses:
    """What a process knows when an item refuses a case.

    ``known`` are the diagnoses of which it has a smallest case, each with the one under which that
    case is told: a refusal that has one of them stands ``as_drawn``. ``alike`` is the diagnosis of
    this item, once it is settled.
    """

    known: dict[str, str] = field(default_factory=dict)
    alike: str = ""
    as_drawn: bool = False
    _first_seen: str = ""
    _anew: bool = False

    def see(self, refused: Judged) -> None:
        """Take the first refused case of a search."""
        self._first_seen = diagnosis(refused)
        self.as_drawn = self._first_seen in self.known and not self._anew
        self.known.setdefault(self._first_seen, self._first_seen)

    def settle(self, smallest: Judged, telling: Judged | None) -> bool:
        """Settle the diagnosis, all being known that is looked at.

        False if it is none that the process has a smallest case of, though the case stands as it
        was drawn: what is guessed of a larger case may show that. Then the search begins anew.
        """
        found = diagnosis(smallest, telling)
        if not self.as_drawn:
            self.alike = self.known[self._first_seen] = self.known[found] = found
            return True
        if found in self.known or not natures(smallest, telling):
            self.alike = self.known.get(found, self.known[self._first_seen])
            return True
        self.as_drawn, self._anew = False, True
        return False
