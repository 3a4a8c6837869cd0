"""``replay``: check a bundle and judge its call again, here or on another device."""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.call.case import Case, Machine
from conformance.catalogue import commands as say
from conformance.catalogue import device, options
from conformance.catalogue import help_run as helps
from conformance.cli.again import Again, Asked, judge_again
from conformance.cli.common import add_json, add_operators, tell_program
from conformance.cli.functions import add_device, second_asked
from conformance.draw.machines import CORES, UB_BYTES, ordered, scheduled
from conformance.draw.profiles import PROFILES
from conformance.errors import UsageError
from conformance.failure.bundle.accepted import accepted_of
from conformance.failure.bundle.arguments import UNDEFINED
from conformance.failure.bundle.arrays import encode, storable
from conformance.failure.bundle.manifest import Manifest
from conformance.failure.bundle.read import Bundle, as_stored, others, read_bundle
from conformance.failure.replay import judgement
from conformance.frozen import attach
from conformance.frozen.regressions import promote
from conformance.judge.agreement import ReferenceDisagreement
from conformance.numerics.arithmetic import Arithmetic
from conformance.printable import printable
from conformance.record.operator import ROUTES
from conformance.record.torch_binding import PYTHON
from conformance.session.context import (
    DEFAULTS,
    folder_of,
    functions_of,
    one_of,
    seconds_of,
)
from conformance.suite import records as suite
from conformance.suite.on_route import all_on_route

ORDER = re.compile(r"forward|reverse|shuffled:\d{1,18}", re.ASCII)
SCHEDULE = re.compile(r"program|late|random:\d{1,18}", re.ASCII)


def add_replay(commands: Any) -> None:
    """The grammar of ``replay``."""
    command = commands.add_parser("replay", help=helps.REPLAY(), allow_abbrev=False)
    add = command.add_argument
    add("bundle", type=Path, metavar="BUNDLE", help=helps.FOLDER_OF_FAILURE())
    add_device(command)
    add("--order", metavar="ORDER", help=helps.BLOCK_ORDER())
    add("--schedule", metavar="SCHEDULE", help=helps.PIPES())
    add("--route", help=helps.ROUTE_AS_IT_WAS(routes=ROUTES))
    add("--time-limit", metavar="SECONDS", help=helps.TIME_LIMIT_AS_IT_WAS())
    add("--libraries", metavar="DIR", help=helps.LIBRARIES_IN())
    add("--package", metavar="DIR", help=helps.PACKAGE_IN())
    add("--kernels", type=Path, metavar="DIR", help=helps.CHECKOUT())
    add("--own-kernels", action="store_true", help=helps.OWN_KERNELS())
    add("--standard", metavar="NAME", help=helps.STANDARD_TOO())
    add("--standards", action="store_true", help=helps.STANDARDS())
    add(
        "--promote",
        action="store_true",
        help=helps.PROMOTE(),
    )
    add("--name", metavar="NAME", help=helps.NAME())
    add("--why", metavar="TEXT", help=helps.WHY())
    add("--link", metavar="URL", action="append", help=helps.LINK())
    add_json(command)
    add_operators(command)
    command.set_defaults(command=replay_command)


def replay_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Check a bundle, judge it again, and say what is as it was."""
    libraries = folder_of("libraries", parsed.libraries)
    _check_choice("order", parsed.order, ORDER, options.BLOCK_ORDERS(), parsed.device)
    _check_choice("schedule", parsed.schedule, SCHEDULE, options.SCHEDULES(), parsed.device)
    about = parsed.name or parsed.why or next(iter(parsed.link or ()), None)
    if not parsed.promote and about:
        raise UsageError("name", about, options.WITH(option="--promote"))
    directories = tuple(directory.absolute() for directory in parsed.operators)
    records = suite.records(directories)
    bundle = read_bundle(parsed.bundle)
    given = (parsed.implementation, parsed.tensors, parsed.device, parsed.route)
    named = [bundle.replay.case.operator]
    beside = parsed.against is not None
    functions = functions_of(*given, records, named, libraries=libraries, against=beside)
    route = one_of(ROUTES, options.ROUTE_OF_CASE(), parsed.route or bundle.replay.route)
    route = PYTHON if functions is not None else route
    judgement(bundle.replay, all_on_route(records, route))
    bundle, notes = as_stored(bundle)
    asked = Asked(
        device=parsed.device,
        route=route,
        limit=seconds_of(parsed.time_limit, PROFILES[_profile(bundle)]),
        libraries=libraries,
        package=folder_of("package", parsed.package),
        kernels=parsed.kernels and parsed.kernels.absolute(),
        own_kernels=parsed.own_kernels,
        beside=parsed.bundle,
        functions=functions,
        second=second_asked(parsed),
        standard=parsed.standard,
        standards=parsed.standards,
        directories=directories,
    )
    for line in (*_told(bundle), *notes):
        console.print(line, markup=False)
    case = _on_machine(bundle.replay.case, parsed.order, parsed.schedule)
    saved = replace(bundle.replay, case=case)
    again = judge_again(saved, records, asked, console)
    same_bytes, same_patterns = _same_bytes(bundle, again), _same_patterns(bundle, again)
    for line in (same_bytes, same_patterns):
        if line:
            console.print(say.BUNDLE(line=line), markup=False)
    promoted = _promote(bundle, parsed, directories) if parsed.promote else None
    if promoted is not None:
        size = promoted.stat().st_size
        console.print(say.PROMOTED(path=promoted, size=size), markup=False)
    if parsed.json:
        told = {"headline": again.verdict.headline, "bundle": str(parsed.bundle)}
        told |= {"called": again.called, "implementation": again.beside}
        told |= {"bytes": same_bytes, "patterns": same_patterns}
        told |= {} if promoted is None else {"regression": str(promoted)}
        tell_program({"status": again.status, **told})
    return again.status


def _promote(bundle: Bundle, parsed: argparse.Namespace, directories: Sequence[Path]) -> Path:
    """Write the bundle's call as a regression beside its operator's record."""
    case = bundle.replay.case
    folder = attach.folder_of(attach.REGRESSIONS, case.operator, directories)
    name = parsed.name or f"{case.mode} {case.dtype} {case.digest[:8]}"
    why = printable(parsed.why or bundle.manifest.headline)
    return promote(folder, bundle.replay, name, why, tuple(parsed.link or ()))


def _told(bundle: Bundle) -> Iterator[str]:
    """What the bundle is, before anything is judged."""
    manifest = bundle.manifest
    yield say.AS_WRITTEN(
        count=len(bundle.files),
        made=manifest.made,
        device=_device(manifest),
        seed=manifest.seeds.run,
        profile=manifest.profile,
    )
    yield from (say.BUNDLE(line=line) for line in others(bundle))


def _device(manifest: Manifest) -> str:
    """The words for the device, in both languages if they are those of a simulated one."""
    known = manifest.device or {}
    soc, cores = known.get("soc"), known.get("vector_cores")
    simulated = device.DESCRIBED(name=device.SIMULATED(soc=soc), cores=cores)
    words = manifest.device_words
    return simulated if simulated == words else words or say.UNKNOWN_DEVICE()


def _profile(bundle: Bundle) -> str:
    known = bundle.manifest.profile
    return known if known in PROFILES else DEFAULTS["profile"]


def _check_choice(
    option: str, chosen: str | None, known: re.Pattern[str], allowed: str, device: str
) -> None:
    """Raise `UsageError` for a choice that no simulated device has, or that the device lacks."""
    if chosen is None:
        return
    if not known.fullmatch(chosen):
        raise UsageError(option, chosen, allowed)
    if device.startswith("npu"):
        raise UsageError(option, chosen, options.CHOICE_OF_SIMULATOR())


def _on_machine(case: Case, order: str | None, schedule: str | None) -> Case:
    """The case with that order of blocks and schedule of pipes, each as it was where None, on the
    largest machine where it names none."""
    if order is None and schedule is None:
        return case
    if case.machine is None:
        case = replace(case, machine=Machine(CORES[-1], UB_BYTES[-1]))
    case = case if order is None else ordered(case, order)
    return case if schedule is None else scheduled(case, schedule)


def _same_bytes(bundle: Bundle, again: Again) -> str:
    """Whether the outputs are those that were observed, byte for byte."""
    before = bundle.manifest.observed.outputs
    seen = {
        name: hashlib.sha256(storable(array).tobytes()).hexdigest()
        for name, array in again.observation.outputs.items()
    }
    outcome = again.observation.outcome.value
    then = bundle.manifest.observed.outcome
    if outcome != then:
        return say.ENDED_OTHERWISE(now=outcome, then=then)
    other = [name for name in {**before, **seen} if name not in before or name not in seen]
    other += [name for name in seen if name in before and before[name].sha256 != seen[name]]
    if other:
        return say.OTHER_BYTES(outputs=other)
    return say.SAME_BYTES() if seen else ""


def _same_patterns(bundle: Bundle, again: Again) -> str:
    """Whether what is accepted here is what the bundle stores as accepted."""
    stored = {name: one for name, one in bundle.manifest.accepted.items() if one.files}
    if not stored or bundle.replay.judged_as == "rejection":
        return ""
    case, operator = bundle.replay.case, again.operator
    named = [one for one in operator.examples if one.name == bundle.replay.name]
    example = named[0] if named and bundle.replay.judged_as == "example" else None
    other = []
    for name, one in stored.items():
        try:
            arithmetic = Arithmetic.of(again.profile)
            now = accepted_of(operator, case, name, arithmetic, example)
        except (*UNDEFINED, ReferenceDisagreement):
            other.append(name)
            continue
        arrays = {part: bundle.files.get(path) for part, path in one.files.items()}
        if arrays != {part: encode(array) for part, array in now.arrays.items()}:
            other.append(name)
    if other:
        return say.OTHER_PATTERNS(outputs=other)
    return say.SAME_PATTERNS()
