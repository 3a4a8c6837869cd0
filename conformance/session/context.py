"""What one pytest process knows of its run: the options, checked, and its evidence file."""

from __future__ import annotations

import math
import os
import re
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

import msgspec

from conformance import places
from conformance.catalogue import options, python_route
from conformance.catalogue import session as say
from conformance.catalogue.message import Said
from conformance.devices.cards import Card
from conformance.devices.device import DeviceProfile
from conformance.devices.messages import Functions
from conformance.devices.python.named import TENSORS, functions_named, with_keywords
from conformance.devices.traits import traits_of
from conformance.draw.profiles import PROFILES, Profile
from conformance.errors import UsageError, choice
from conformance.evidence.budget import Budget, seconds_of_budget
from conformance.evidence.implementation import of_device
from conformance.evidence.item_times import item_times
from conformance.evidence.lines import AnyLine, DeviceLine, Writer
from conformance.evidence.shard_of_host import shard_of
from conformance.field.given import GivenCase, read_folder
from conformance.frozen.attach import attached
from conformance.judge.by_standard import by_standard
from conformance.record import workload
from conformance.record.operator import ORACLES, REFERENCE, ROUTES, Operator
from conformance.record.torch_binding import PYTHON
from conformance.record.versions import VERSION
from conformance.session.against import Against, Second, against_named
from conformance.session.left_out import reason_of
from conformance.session.resume import Asked, Finished, check_sound, earlier_run, finished_items
from conformance.session.splitting import MOST_PARTS
from conformance.session.timing_probe import repetitions
from conformance.suite import records as suite
from conformance.suite.for_libraries import asked
from conformance.suite.on_route import all_on_route, on_it, reachable

if TYPE_CHECKING:
    import pytest

DEFAULTS = {"device": "auto", "profile": "smoke", "route": "aclnn", "oracle": REFERENCE}
PYTEST_OUT = Path("reports", "pytest")
"""Where pytest's own command line writes: one item of a test must not replace the last full run."""
DEFAULT_SEED = 0
BEGAN = "conformance_began"
"""The key under which a worker that replaces another is told when the run began."""
PROBES = "conformance_probes"
"""The key under which a worker is told that it probes its device."""
PROBING = ("main", "gw0")
"""Workers that probe the device untold: one of them is in every run of one host."""
LARGEST_SEED = 2**63 - 1
BY_A_PERSON, BY_ITSELF = "interrupted", "ended"
"""How a run ended whose own process did not sum it up."""


class Lines(Protocol):
    """Where a process puts its lines of evidence."""

    def write(self, line: AnyLine) -> None:
        """Put a line on record. Raises `EnvironmentFailure` where that fails."""

    def close(self) -> None:
        """Give back what is held."""


class Context:
    """The options of one run; raises `UsageError` for one that is out of its range,
    `EnvironmentFailure` for a folder of an earlier run that contradicts itself."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        self.config = config
        self.profile = profile_named(option.conformance_profile or DEFAULTS["profile"])
        self.route = one_of(ROUTES, "route", option.conformance_route or DEFAULTS["route"])
        self.device = option.conformance_device or DEFAULTS["device"]
        self.directories = tuple(Path(d).absolute() for d in option.conformance_operators or ())
        self.records = suite.records(self.directories)
        self.libraries = folder_of("libraries", option.conformance_libraries)
        self.functions = functions_of(
            option.conformance_implementation or (),
            option.conformance_tensors,
            self.device,
            self.route,
            self.records,
            libraries=self.libraries,
            against=option.conformance_against is not None,
        )
        named = option.conformance_operator or ()
        wanted = suite.chosen(self.records, named, self.directories)
        chosen = reachable(wanted, self.route, named)
        self.package = folder_of("package", option.conformance_package)
        self.traits = traits_of(self.libraries)
        self.kept = attached(chosen, self.directories, corpus=self.profile.corpus)
        self.on_route = all_on_route(self.records, self.route)
        asked_oracle = option.conformance_oracle or DEFAULTS["oracle"]
        self.oracle = one_of(ORACLES, "oracle", asked_oracle)
        self.operators = tuple(
            asked(on_it(one, self.records, self.route, self.called, self.oracle), self.traits)
            for one in self.kept.operators
        )
        self.against = against_named(
            Second(
                option.conformance_against,
                option.conformance_same,
                option.conformance_tensors,
                option.conformance_against_python,
            ),
            device=self.device,
            route=self.route,
            operators=self.operators,
            functions=self.functions,
        )
        lenient = bool(option.conformance_lenient)
        self.lenient = lenient_asked(lenient, self.functions, self.against)
        self.standard: str | None = option.conformance_standard
        self.standards = bool(option.conformance_standards)
        self.by_standard = by_standard(self.standard, self.standards, self.operators)
        named_workloads = option.conformance_workload or ()
        self.workloads_asked = bool(named_workloads)
        self.workloads = (
            workload.chosen(named_workloads, places.workloads())
            if self.workloads_asked
            else workload.own(places.workloads())
        )
        self.shard = shard_of(option.conformance_shard, os.environ)
        times: str | None = option.conformance_times
        self.times = Path(times).absolute() if times else None
        self.item_times = {} if self.times is None else item_times(self.times)
        self.timing = repetitions(option.conformance_timing, self.device)
        self.split = parts_asked(option.conformance_split)
        self.time_limit = seconds_of(option.conformance_time_limit, self.profile)
        self.out = Path(option.conformance_out or config.rootpath / PYTEST_OUT).absolute()
        told = (text.partition("=") for text in option.conformance_left_out or ())
        self.left_out = {unquote(name): reason_of(reason) for name, _, reason in told}
        self.named: list[str] = option.conformance_named or []
        self.cases = folder_of("case", option.conformance_case)
        self.given = given_cases(self.cases, self.left_out)
        self.resume = bool(option.conformance_resume)
        self.sums_up: str | None = option.conformance_sum_up
        self.arguments = [str(one) for one in config.invocation_params.args]
        workerinput = getattr(config, "workerinput", None)
        self.is_worker = workerinput is not None
        earlier = earlier_run(self.out) if self.resume else None
        if earlier is not None and not self.is_worker:
            check_sound(self.out)
        self.finished: dict[str, Finished] = finished_items(self.out) if self.resume else {}
        if earlier is not None and option.conformance_seed is None:
            option.conformance_seed = str(earlier.seed)
        self.seed = seed_of(option.conformance_seed, self.profile)
        self.worker: str = workerinput["workerid"] if workerinput else "main"
        self.probes = self.worker in PROBING or bool(workerinput and workerinput.get(PROBES))
        self.workers: int = workerinput["workercount"] if workerinput else 1
        budget: str | None = option.conformance_budget
        self.budget = None if budget is None else Budget(seconds_of_budget(budget))
        self.began: float | None = workerinput.get(BEGAN) if workerinput else None
        # xdist hands the controller's options to its workers: what is resolved here holds there.
        option.conformance_seed = str(self.seed)
        option.conformance_shard = str(self.shard)
        option.conformance_times = self.times and str(self.times)
        option.conformance_out = str(self.out)
        option.conformance_libraries = self.libraries and str(self.libraries)
        option.conformance_package = self.package and str(self.package)
        option.conformance_operators = [str(directory) for directory in self.directories]
        self.asked = Asked(
            operators=self.operators,
            device=self.device,
            route=self.route,
            profile=self.profile,
            seed=self.seed,
            directories=self.directories,
            time_limit=self.time_limit,
            libraries=self.libraries,
            package=self.package,
            standard=self.standard,
            standards=self.standards,
            oracle=self.oracle,
            workloads=tuple(named_workloads),
            cases=self.cases,
            shard=self.shard,
            times=self.times,
            split=self.split,
            functions=self.functions,
            lenient=self.lenient,
            against=() if self.against is None else self.against.options,
        )
        self.judges = False
        self.diagnosed: dict[str, str] = {}
        self.files = self.out
        self._lines: Lines | None = None
        self._device_told: tuple[int | None] | None = None

    @property
    def called(self) -> Collection[str] | None:
        """The operators that something carries out, None: all."""
        return None if self.functions is None else self.functions.by_operator.keys()

    @property
    def database(self) -> str | None:
        """The folder of the example database; None for the profiles that keep none."""
        folder = self.config.invocation_params.dir / ".hypothesis" / "examples"
        return str(folder) if self.profile.random else None

    def write(self, line: AnyLine, device: object = None) -> None:
        """Append a line to this process's evidence, after the profile of its device."""
        if self._lines is None:
            self._lines = Writer(self.out, self.worker)
        profile: DeviceProfile | None = getattr(device, "profile", None)
        card: Card | None = getattr(device, "card", None)
        number = card.physical if card is not None else None
        # Once, and once more after a card was lost and another one taken.
        if profile is not None and self._device_told != (number,):
            self._device_told = (number,)
            words = profile.describe()
            told = msgspec.to_builtins(profile, builtin_types=(Said,))
            opened = DeviceLine(
                worker=self.worker,
                description=words,
                profile=told,
                card=number,
                implementation=of_device(device).words,
                lost=getattr(device, "lost", ()),
            )
            self._lines.write(opened)
        self._lines.write(line)

    def send(self, lines: Lines, files: Path) -> None:
        """Give lines to another process, which has the run's folder; bundles go below ``files``."""
        self._lines, self.files = lines, files

    def close(self) -> None:
        """Give the evidence file back."""
        if self._lines is not None:
            self._lines.close()


def given_cases(folder: Path | None, left_out: Mapping[str, str]) -> tuple[GivenCase, ...]:
    """The cases of a folder without those that are left out; raises `UsageError`."""
    cases = () if folder is None else read_folder(folder).cases
    return tuple(one for one in cases if one.file not in left_out)


def one_of(allowed: Iterable[str], parameter: str, value: str) -> str:
    """``value`` if it is allowed; raises `UsageError`."""
    names = list(allowed)
    if value not in names:
        raise UsageError(parameter, value, choice(value, names))
    return value


def device_spec(text: str) -> str:
    """A device's name if it is written as one; raises `UsageError`."""
    if not re.fullmatch(rf"auto|sim(:[\w.-]+)?(@{VERSION})?|npu(:\d+(,\d+)*)?", text, re.ASCII):
        raise UsageError("device", text, say.DEVICES())
    return text


def functions_of(
    texts: Sequence[str],
    tensors: str | None,
    device: str,
    route: str,
    records: Mapping[str, Operator],
    operators: Sequence[str] = (),
    *,
    libraries: Path | None = None,
    against: bool = False,
) -> Functions | None:
    """The Python functions that are judged, None without any; raises `UsageError`.

    ``texts`` are those of ``--implementation``, ``operators`` are asked for by name; ``libraries``
    are those of a simulated NPU. ``against``: another implementation stands beside, which may be a
    function that is given these tensors.
    """
    if not texts:
        device_spec(device)
        if tensors is not None and not against:
            raise UsageError("tensors", tensors, options.WITH(option="--implementation"))
        if route == PYTHON:
            raise UsageError("route", route, python_route.NEEDS_FUNCTION())
        return None
    found = functions_named(texts, tensors or TENSORS[0], device, operators, libraries)
    for name in found.by_operator:
        one_of(records, "operator", name)
    return with_keywords(found, records)


def lenient_asked(lenient: bool, functions: Functions | None, against: Against | None) -> bool:
    """Whether functions, also the second's, may carry out what they must refuse.

    Raises `UsageError` without any.
    """
    second = None if against is None else against.functions
    if lenient and functions is None and second is None:
        raise UsageError("lenient", True, options.WITH(option="--implementation"))
    return lenient


def parts_asked(text: str | None) -> int | None:
    """Into how many parts items are to be split; None: by a rule. Raises `UsageError`."""
    if text is None:
        return None
    if not re.fullmatch(r"[1-9]\d{0,2}", text, re.ASCII):
        raise UsageError("split", text, options.PARTS(most=MOST_PARTS))
    return int(text)


def profile_named(name: str) -> Profile:
    """The profile of that name; raises `UsageError`."""
    return PROFILES[one_of(PROFILES, "profile", name)]


def seed_of(text: str | None, profile: Profile) -> int:
    """The seed as given; without one 0, or a new one where the profile is random."""
    if text is None:
        return secrets.randbits(32) if profile.random else DEFAULT_SEED
    if not text.isascii() or not text.isdigit() or int(text) > LARGEST_SEED:
        raise UsageError("seed", text, say.SEEDS(most=LARGEST_SEED))
    return int(text)


def folder_of(parameter: str, text: str | None) -> Path | None:
    """A folder that exists, as an absolute path; None where none is given."""
    if text is None:
        return None
    if not Path(text).is_dir():
        raise UsageError(parameter, text, say.FOLDERS())
    return Path(text).absolute()


def seconds_of(text: str | None, profile: Profile) -> float:
    """A time limit in seconds; the profile's where none is given."""
    if text is None:
        return profile.time_limit
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError("time limit", text, say.TIMES())
    return seconds
