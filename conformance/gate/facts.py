"""What of a run is compared with another one: by names that stay, never by what was drawn.

Drawn cases change with the seed, the record and Hypothesis; of those nothing is diffed. Compared
are the calls with a name (documented and refused ones, the corpus, regressions), the declared
cells, and the orders of additions that were recovered from the device.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from conformance.call.observation import Outcome
from conformance.catalogue import baselines, corrupted
from conformance.catalogue import gate as say
from conformance.catalogue.marks import NAMES
from conformance.evidence.lines import OrderLine, Seconds, TimingLine, VerdictLine
from conformance.evidence.reading import CannotJudge, declared_cells
from conformance.evidence.run import Run
from conformance.evidence.summary import COUNTED, QUARANTINE
from conformance.names import cell_id

DRIFT = "order-drift"
"""The step of an output that is legal, but off the order that its contract declares."""
NONE = "none"
WORDS = {
    "soc": baselines.SOC,
    "cann": baselines.CANN,
    "driver": baselines.DRIVER,
    "torch_npu": baselines.TORCH_NPU,
    "route": baselines.ROUTE,
    "corpus": baselines.CORPUS,
}
"""What the parts of a key are called."""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """What a baseline holds for: another SoC, CANN, driver, torch_npu, route or corpus needs its
    own. Each is a text, ``none`` where there is none; ``driver``, ``torch_npu`` and ``corpus`` (the
    version of the frozen cases) stand under these names in the evidence's provenance."""

    soc: str
    cann: str
    driver: str
    torch_npu: str
    route: str
    corpus: str

    def __str__(self) -> str:
        return str(self.words)

    @property
    def words(self) -> str:
        """The key as a person reads it."""
        parts = [
            baselines.OF(name=WORDS[name](), value=value)
            for name, value in msgspec.structs.asdict(self).items()
            if name in ("cann", "route") or (name != "soc" and value != NONE)
        ]
        return NAMES(names=[self.soc, *parts])

    def differences(self, other: Key) -> tuple[str, ...]:
        """What differs from another key, as ``CANN 8.0 -> 8.1``."""
        mine, its = msgspec.structs.asdict(self), msgspec.structs.asdict(other)
        return tuple(
            baselines.DIFFERENCE(name=WORDS[name](), before=its[name], now=mine[name])
            for name in mine
            if mine[name] != its[name]
        )


class Named(msgspec.Struct, kw_only=True):
    """The verdict of a call that has a name.

    ``digest`` is the hash of its inputs: by it two runs know that they speak of the same call.
    ``drift`` is whether an output is off its declared order; ``exact`` of ``elements`` were judged
    bit-exactly; ``tiling_key`` is None where it is unknown; ``workspace_bytes`` and
    ``call_seconds`` are told, and no verdict follows from them. ``work`` are the counts of
    `conformance.call.work` on the simulated ``machine``; none where nothing counted.
    """

    digest: str
    operator: str
    mode: str
    dtype: str
    ok: bool
    drift: bool = False
    elements: int = 0
    exact: int = 0
    tiling_key: int | None = None
    workspace_bytes: int = 0
    call_seconds: float = 0.0
    work: dict[str, int] = {}
    machine: str = ""

    @property
    def cell(self) -> str:
        """The declared cell that the call belongs to."""
        return cell_id(self.operator, self.mode, self.dtype)


class CellFact(msgspec.Struct, kw_only=True):
    """What a run judged of a declared cell, drawn cases among it: told, not compared."""

    cases: int
    failed: int
    share_exact: float | None = None
    seconds: float = 0.0


class Order(msgspec.Struct, kw_only=True):
    """An order of additions: its name, and the additions themselves."""

    order: str
    merges: tuple[tuple[int, int], ...] = ()


class Timed(msgspec.Struct, kw_only=True):
    """How long a fixed call took on the device, in each repetition; ``reason`` why not at all."""

    digest: str
    operator: str
    seconds: Seconds = ()
    reason: str = ""


class Facts(msgspec.Struct, kw_only=True):
    """Everything of a run that a later one is compared with. ``named`` is by ``OP/KIND/NAME``,
    ``times`` by ``OP/timing/NAME``,
    ``orders`` by ``OP DTYPE SLOTS slots``, ``libraries`` hashes by file name. ``cases`` are all
    distinct ones, refused calls, relations and sequences among them; baselines of before have 0."""

    key: Key
    kind: str
    profile: str
    commit: str = ""
    cases: int = 0
    libraries: dict[str, str] = {}
    cells: dict[str, CellFact] = {}
    named: dict[str, Named] = {}
    orders: dict[str, Order] = {}
    times: dict[str, Timed] = {}


class _Library(msgspec.Struct):
    sha256: str


class _Profile(msgspec.Struct):
    soc: str
    kind: str
    cann: str = "unknown"
    libraries: dict[str, _Library] = {}


def facts(run: Run) -> Facts:
    """The facts of a run that `conformance.evidence.reading.whole` lets pass.

    Raises `CannotJudge` where the device's profile says something that no profile says.
    """
    evidence = run.evidence
    try:
        profile = msgspec.convert(run.device.profile, _Profile)
    except msgspec.ValidationError as error:
        told = say.OF_NO_PROFILE(error=str(error))
        raise CannotJudge(corrupted.CORRUPTED(what=told)) from error
    return Facts(
        key=_key(run, profile),
        kind=profile.kind,
        profile=evidence.profile,
        commit=_commit(evidence.provenance),
        cases=evidence.cases,
        libraries={name: library.sha256 for name, library in profile.libraries.items()},
        cells={
            cell_id(cell.operator, cell.mode, cell.dtype): CellFact(
                cases=cell.cases,
                failed=cell.failed,
                share_exact=cell.share_exact,
                seconds=round(cell.seconds, 3),
            )
            for cell in declared_cells(evidence)
        },
        named=_named(run),
        orders={
            _order_name(line): Order(order=line.order, merges=line.merges)
            for line in evidence.orders
        },
        times=_times(run),
    )


def of_operators(found: Facts, operators: Collection[str]) -> Facts:
    """The facts of these operators alone."""
    # A cell's id and an order's name begin with the operator's, which holds no "-" and no space.
    return msgspec.structs.replace(
        found,
        cells={name: c for name, c in found.cells.items() if name.partition("-")[0] in operators},
        named={name: one for name, one in found.named.items() if one.operator in operators},
        orders={name: o for name, o in found.orders.items() if name.partition(" ")[0] in operators},
        times={name: one for name, one in found.times.items() if one.operator in operators},
    )


def name_of(line: VerdictLine) -> str:
    """The name by which a verdict is compared between runs; empty for a drawn case."""
    if not line.name or line.judged_as in (QUARANTINE, "relation"):
        return ""
    return f"{line.operator}/{line.judged_as}/{line.name}"


def _named(run: Run) -> dict[str, Named]:
    """Every named call once; one that was refused once counts as refused."""
    found: dict[str, Named] = {}
    for line in run.verdicts:
        name = name_of(line)
        if not name or line.phase not in COUNTED or line.outcome == Outcome.NOT_POSSIBLE.value:
            continue
        if name in found and (line.ok or not found[name].ok):
            continue
        found[name] = Named(
            digest=line.digest,
            operator=line.operator,
            mode=line.mode,
            dtype=line.dtype,
            ok=line.ok,
            drift=DRIFT in line.step,
            elements=line.elements,
            exact=line.exact,
            tiling_key=line.tiling_key,
            workspace_bytes=line.workspace_bytes,
            call_seconds=line.call_seconds,
            work=dict(line.work or {}),
            machine=_machine(line),
        )
    return dict(sorted(found.items()))


def _times(run: Run) -> dict[str, Timed]:
    """Every timed call once; of several parts of a run the first that measured it."""
    found: dict[str, Timed] = {}
    for line in run.lines:
        if isinstance(line, TimingLine):
            name = f"{line.operator}/timing/{line.name}"
            if name not in found or (line.seconds and not found[name].seconds):
                found[name] = Timed(
                    digest=line.digest,
                    operator=line.operator,
                    seconds=line.seconds,
                    reason=line.reason,
                )
    return dict(sorted(found.items()))


def _machine(line: VerdictLine) -> str:
    """What of the simulated machine the counts of a call's work depend on."""
    if line.machine is None:
        return ""
    sizes = ", ".join(f"{name} {value}" for name, value in sorted(line.machine.items()))
    return f"{sizes}, functions {line.functions or 'rounded'}"


def _key(run: Run, profile: _Profile) -> Key:
    told = run.evidence.provenance
    return Key(
        soc=profile.soc,
        cann=profile.cann,
        driver=_text(told, "driver") if profile.kind == "npu" else NONE,
        torch_npu=_text(told, "torch_npu") if profile.kind == "npu" else NONE,
        route=run.evidence.route,
        corpus=_text(told, "corpus"),
    )


def _text(told: Mapping[str, object], name: str) -> str:
    value = told.get(name)
    if value is None:
        return NONE
    if not isinstance(value, str):
        what = say.NO_TEXT_OF_PROVENANCE(name=name, value=repr(value))
        raise CannotJudge(corrupted.CORRUPTED(what=what))
    return value


def _commit(told: Mapping[str, object]) -> str:
    git = told.get("git")
    commit = git.get("commit") if isinstance(git, dict) else None
    return commit if isinstance(commit, str) else ""


def _order_name(line: OrderLine) -> str:
    return f"{line.operator} {line.dtype} {line.slots} slots"
