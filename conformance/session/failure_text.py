"""A refused case told to a person: the verdict, its bundle, and the line to replay it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from conformance import places
from conformance.catalogue import failure as say
from conformance.catalogue.message import row
from conformance.devices.device import DeviceProfile
from conformance.devices.python.named import TENSORS, written
from conformance.diagnosis.guess import Guess, chosen
from conformance.evidence.implementation import of_device
from conformance.evidence.lines import FailureLine, unconfirmed
from conformance.evidence.provenance import provenance
from conformance.evidence.run_folder import failure_folder
from conformance.failure.alike import diagnosis
from conformance.failure.bundle.manifest import CASE
from conformance.failure.bundle.write import Origin, write_bundle
from conformance.failure.guessed import guessed
from conformance.failure.picture import excerpts, pictures
from conformance.failure.replay import Replay, save
from conformance.judge.judged import Judged
from conformance.numerics.arithmetic import Arithmetic
from conformance.record.frozen import Frozen
from conformance.record.picture import Picture
from conformance.session.context import DEFAULTS, Context
from conformance.session.trial import Trial
from conformance.text.command_lines import called, near

CALLED = str(say.REGRESSION_CALLED(name=""))
KEPT_FOR, REPORTED = str(say.KEPT_FOR(why="")), str(say.REPORTED(link=""))
"""How lines begin that tell of a regression; the last one has the address of a public report."""

LARGER = "larger"
"""The folder of the larger case's bundle, in that of the smallest."""


def tell(
    trial: Trial, judged: Judged, context: Context, item: str, device: object = None
) -> FailureLine:
    """Write the bundle of an item's smallest refused case into the run's folder, and say what is in
    it; the trial says how it was looked for. ``device`` is what was judged. Raises `OSError`.
    """
    telling = trial.telling()
    case, verdict = judged.case, judged.verdict
    profile: DeviceProfile | None = getattr(device, "profile", None)
    implementation = None if device is None else of_device(device, case.operator)
    law = judged.name if judged.judged_as == "relation" else ""
    folder = failure_folder(context.out, case, law)
    shown = guessed(judged, telling)
    lines = [replace(verdict, findings=_only(shown, verdict.findings)).text]
    lines += [] if verdict.subject else ["  " + line for line in case.text.splitlines()]
    known = _regression(judged, context)
    lines += ["  " + line for line in _searched(trial, known)]
    more = list(_larger(judged, telling, shown))
    larger = folder / LARGER if telling is not None and more else None
    if larger is not None:
        more += [say.LARGER_CASE(command=replay_line(larger, context))]
    if implementation is not None and implementation.source == "plugin":
        more += [say.PLUGIN_CALLED(implementation=implementation.words)]
    more += [say.REPLAY(command=replay_line(folder, context))]
    text = row([*lines, *("  " + line for line in more)], "\n")
    origin = Origin(
        item=item,
        profile=context.profile.name,
        seed=context.seed,
        time_limit=context.time_limit,
        headline=verdict.headline,
        text=text,
        provenance=provenance(places.root(), context.directories),
        device=profile,
        arithmetic=trial.arithmetic,
    )
    saved = Replay(
        case, judged.judged_as, judged.name, context.route, implementation=implementation
    )
    records = context.records
    place = failure_folder(context.files, case, law)
    write_bundle(place, saved, records.get(case.operator), judged.observation, origin, records)
    if larger is not None and telling is not None:
        _write_larger(place / LARGER, telling, replace(saved, case=telling.case), origin, context)
    return msgspec.structs.replace(
        _line(judged, context, item, folder),
        elements=sum(t.held_size for t in (*case.inputs.values(), *case.outputs.values())),
        text=text,
        pictured="" if telling is None else telling.verdict.text,
        pictures=_pictures(context, telling or judged, trial.arithmetic, shown),
        excerpts=list(excerpts(judged.observation, _library(profile), case.operator)),
        larger="" if larger is None else str((larger / CASE).relative_to(context.out)),
        diagnosis=trial.diagnoses.alike or diagnosis(judged, telling),
        as_drawn=trial.diagnoses.as_drawn,
        links=[] if known is None else list(known.links),
    )


def without_bundle(judged: Judged, context: Context, item: str, why: str) -> FailureLine:
    """A refused case of which no more than itself can be saved, as an error kept the rest away."""
    case, verdict = judged.case, judged.verdict
    folder, place = (failure_folder(out, case, "") for out in (context.out, context.files))
    with suppress(Exception):
        save(Replay(case, judged.judged_as, judged.name, context.route), place / CASE)
    lines = [verdict.headline, *case.text.splitlines(), say.CASE_ALONE(), *why.splitlines()]
    lines += [say.REPLAY(command=replay_line(folder, context))]
    text = row(lines, "\n  ")
    return msgspec.structs.replace(_line(judged, context, item, folder), text=text)


def _searched(trial: Trial, known: Frozen | None) -> Iterator[str]:
    """How the case was looked for, and what is known of it."""
    if trial.alone_accepted:
        yield say.ALONE_ACCEPTED()
    yield from ([trial.noted] if trial.noted else [])
    yield from _kept_for(known)
    if trial.unrepeatable:
        yield say.UNREPEATABLE()
    if trial.diagnoses.as_drawn:
        yield say.AS_DRAWN()
    if trial.lost:
        yield say.LOST(reason=trial.lost)
    if trial.budget.stopped:
        yield say.SEARCH_ENDED(what=trial.budget.stopped)


def _line(judged: Judged, context: Context, item: str, folder: Path) -> FailureLine:
    """What is told of every refused case."""
    case = judged.case
    return FailureLine(
        worker=context.worker,
        item=item,
        operator=case.operator,
        mode=case.mode,
        dtype=case.dtype,
        digest=case.digest,
        case=str((folder / CASE).relative_to(context.out)),
        headline=judged.verdict.headline,
        text="",
        unconfirmed=unconfirmed(judged.verdict, judged.observation),
    )


def _regression(judged: Judged, context: Context) -> Frozen | None:
    """The regression that was refused; None where something else was."""
    if judged.judged_as != "regression":
        return None
    every = (one for record in context.operators for one in record.regressions)
    mine = (one for one in every if one.case.operator == judged.case.operator)
    return next((one for one in mine if one.name == judged.name), None)


def _kept_for(known: Frozen | None) -> Iterator[str]:
    """What a regression is kept for, and where its mistake was reported."""
    if known is not None:
        yield say.REGRESSION_CALLED(name=known.name)
        yield from ([say.KEPT_FOR(why=known.why)] if known.why else [])
        yield from (say.REPORTED(link=link) for link in known.links)


def _write_larger(
    folder: Path, telling: Judged, saved: Replay, origin: Origin, context: Context
) -> None:
    """The bundle of the larger case, within that of the smallest."""
    headline, text = telling.verdict.headline, telling.verdict.text
    of_its_own = replace(origin, headline=headline, text=text)
    operator = context.records.get(saved.case.operator)
    write_bundle(folder, saved, operator, telling.observation, of_its_own, context.records)


def _only(shown: Sequence[str], findings: Sequence[str]) -> list[str]:
    """The findings without the guesses that are not shown."""
    return [one for one in findings if not isinstance(one, Guess) or one in shown]


def _larger(judged: Judged, telling: Judged | None, shown: Sequence[str]) -> Iterator[str]:
    """Where the wrong elements of a larger case lie, and what is guessed of it, if that says more
    than the smallest does.
    """
    if telling is None or telling.case == judged.case:
        return
    for name, output in telling.verdict.outputs.items():
        before = judged.verdict.outputs.get(name)
        known = () if before is None else tuple(before.guesses)
        guesses = [one for one in chosen(output.guesses, shown) if one not in known]
        if output.pattern and (before is None or before.pattern != output.pattern or guesses):
            shape = "x".join(map(str, telling.case.outputs[name].shape))
            yield say.LARGER_PATTERN(name=name, shape=shape, pattern=output.pattern)
            yield from ("  " + guess for guess in guesses)


def _library(profile: DeviceProfile | None) -> Path | None:
    """The operators' library of the device that was judged."""
    found = None if profile is None else profile.libraries.get("libopapi.so")
    return None if found is None else Path(found.path)


def _pictures(
    context: Context, judged: Judged, arithmetic: Arithmetic, shown: Sequence[str]
) -> list[Picture]:
    """Pictures of wrong outputs; those of a call that must be rejected, or of a relation, are
    judged by no contract.
    """
    operator = context.records.get(judged.case.operator)
    if operator is None or judged.judged_as in ("rejection", "relation"):
        return []
    own = not context.traits.checkout and context.device.startswith(("auto", "sim"))
    own = own and context.functions is None
    found = list(pictures(operator, judged.case, judged.observation, arithmetic, own_kernels=own))
    for one in found:
        output = judged.verdict.outputs.get(one.output)
        if output is not None:
            one.words = [output.pattern, *chosen(output.guesses, shown)]
    return found


def replay_line(folder: Path, context: Context) -> str:
    """The command that judges a bundle again, with the options that this run was given."""
    words = [*called(), "replay", near(folder)]
    if context.device != "auto":
        words += ["--device", context.device]
    if context.functions is not None:
        *each, tensors = written(context.functions)
        words += [f"--implementation={one}" for one in each]
        words += ["--tensors", tensors] if tensors != TENSORS[0] else []
    elif context.route != DEFAULTS["route"]:
        words += ["--route", context.route]
    if context.against is not None:
        for name, value in context.against.options:
            if name != "tensors" or (context.functions is None and value != TENSORS[0]):
                words += [f"--{name}", value]
    if context.time_limit != context.profile.time_limit:
        words += ["--time-limit", f"{context.time_limit:g}"]
    if context.traits.checkout:
        words += ["--kernels", near(Path(context.traits.checkout))]
    elif context.libraries is not None:
        words += ["--libraries", near(context.libraries)]
    if context.package is not None:
        words += ["--package", near(context.package)]
    if context.by_standard.gate is not None:
        words += ["--standard", context.by_standard.gate]
    for directory in context.directories:
        words += ["--operators", near(directory)]
    return shlex.join(words)
