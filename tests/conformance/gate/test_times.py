"""The time of fixed calls beside the baseline's: medians, intervals, and what the gate says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cli.percent import share_of
from conformance.errors import UsageError
from conformance.evidence.lines import TimingLine
from conformance.gate.bootstrap import ratio_of_medians
from conformance.gate.judgement import Judgement
from tests.conformance.gate.asking import accepted, gate
from tests.conformance.gate.runs import OPERATOR, device, every_cell, run
from tests.snapshots import pinned

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
NPU = device(kind="npu", soc="Ascend910B1", name="npu:0")
STEADY = tuple(1e-4 + 1e-7 * (n % 7) for n in range(30))


def timed(seconds: tuple[float, ...], name: str = "model 64 skewed", **changed: Any) -> TimingLine:
    told: dict[str, Any] = {"operator": OPERATOR, "dtype": "bfloat16", "digest": "t1"}
    return TimingLine(worker="main", name=name, seconds=seconds, **{**told, **changed})


def times(seconds: tuple[float, ...], factor: float) -> tuple[float, ...]:
    return tuple(factor * one for one in seconds)


def beside(
    place: Path, before: list[TimingLine], now: list[TimingLine], **asked: Any
) -> tuple[Judgement, str]:
    accepted(place / "b", run(place / "before", every_cell(*before), on=NPU))
    folder = run(place / "now", every_cell(*now), on=NPU)
    return gate(folder, baselines=place / "b", **asked)


def test_the_ratio_is_that_of_the_medians_and_lies_in_its_interval() -> None:
    found = ratio_of_medians((1.0, 2.0, 9.0, 2.0, 2.0), (3.0, 3.0, 3.0, 1.0, 30.0))
    assert found is not None
    assert (found.before, found.now, found.ratio) == (2.0, 3.0, 1.5)
    assert found.low <= 1.5 <= found.high


def test_an_interval_is_the_same_each_time_and_another_with_another_seed() -> None:
    noisy = tuple(np.random.default_rng(1).lognormal(0, 0.1, 30))
    assert ratio_of_medians(noisy, noisy) == ratio_of_medians(noisy, noisy)
    assert ratio_of_medians(noisy, noisy) != ratio_of_medians(noisy, noisy, seed=1)


def test_an_interval_grows_with_the_noise() -> None:
    draw = np.random.default_rng(2)
    widths = []
    for noise in (0.01, 0.1):
        before, now = (tuple(draw.lognormal(0, noise, 30)) for _ in range(2))
        found = ratio_of_medians(before, now)
        assert found is not None
        widths.append(found.high - found.low)
    assert widths[0] < widths[1] / 3


@pytest.mark.parametrize(
    "bad", [(), (1.0,) * 4, (1.0, 1.0, 1.0, 1.0, 0.0), (1.0,) * 5 + (float("nan"),)], ids=str
)
def test_times_of_no_use_give_no_ratio(bad: tuple[float, ...]) -> None:
    assert ratio_of_medians(bad, STEADY) is None
    assert ratio_of_medians(STEADY, bad) is None


def test_steady_noise_of_no_regression_is_seldom_above_the_bound() -> None:
    draw = np.random.default_rng(3)
    alarms = 0
    for _ in range(200):
        found = ratio_of_medians(draw.lognormal(0, 0.03, 30), draw.lognormal(0, 0.03, 30))
        assert found is not None
        alarms += found.low > 1
    assert alarms <= 4  # one in 200 lies above by definition


def test_a_call_that_is_slower_than_allowed_is_rejected_and_told(tmp_path: Path) -> None:
    before, now = [timed(STEADY)], [timed(times(STEADY, 1.10))]
    judgement, text = beside(tmp_path, before, now, time_regression=0.05)
    assert judgement.status == 1
    assert "slower  permute/timing/model 64 skewed: 100.3 us -> 110.3 us, 1.100 times" in text


def test_time_is_only_shown_unless_a_bound_is_asked_for(tmp_path: Path) -> None:
    judgement, text = beside(tmp_path, [timed(STEADY)], [timed(times(STEADY, 1.5))])
    assert judgement.status == 0
    assert "shown: time of 1 timed call: 1.500 times the baseline's" in text


def test_what_lies_below_the_bound_or_within_the_noise_is_accepted(tmp_path: Path) -> None:
    asked = {"time_regression": 0.05}
    below = [timed(times(STEADY, 1.04))]
    assert beside(tmp_path / "a", [timed(STEADY)], below, **asked)[0].status == 0
    noisy = tuple(1e-4 * (1 + n % 2) for n in range(30))
    within = [timed(times(noisy, 1.10))]
    assert beside(tmp_path / "b", [timed(noisy)], within, **asked)[0].status == 0


def test_calls_of_other_inputs_are_not_compared_and_it_is_said(tmp_path: Path) -> None:
    other = [timed(times(STEADY, 2), digest="t2")]
    judgement, text = beside(tmp_path, [timed(STEADY)], other, time_regression=0.05)
    assert judgement.status == 0
    assert "note: time is not compared: the baseline has no timed calls" in text


def test_a_run_without_times_is_told_where_a_bound_is_asked_for(tmp_path: Path) -> None:
    judgement, text = beside(tmp_path, [timed(STEADY)], [], time_regression=0.05)
    assert judgement.status == 0
    assert "note: time is not compared: the run has no timed calls (run --timing)" in text


def test_a_call_that_could_not_be_timed_any_more_is_told(tmp_path: Path) -> None:
    now = [timed((), reason="the stream failed"), timed(STEADY, name="other")]
    before = [timed(STEADY), timed(STEADY, name="other")]
    _, text = beside(tmp_path, before, now, time_regression=0.05)
    assert "note: not timed: permute/timing/model 64 skewed: the stream failed" in text


def test_the_first_part_of_a_run_that_measured_a_call_stands(tmp_path: Path) -> None:
    twice = [timed((), reason="no"), timed(STEADY), timed(times(STEADY, 3))]
    assert beside(tmp_path, [timed(STEADY)], twice, time_regression=0.05)[0].status == 0


def test_more_repetitions_than_a_run_makes_are_not_read(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(timed((1e-4,) * 1001)), on=NPU)
    assert gate(folder)[0].status == 3


def test_the_text_of_slower_calls(tmp_path: Path) -> None:
    names = ("deepseek_v3 64 skewed", "gpt_oss_20b 2048 balanced")
    before = [timed(STEADY, name=name) for name in names]
    now = [timed(times(STEADY, 1.2), name=names[0]), timed(times(STEADY, 0.9), name=names[1])]
    _, text = beside(tmp_path, before, now, time_regression=0.05)
    pinned(SNAPSHOTS / "gate_slower.txt", text)


@pytest.mark.parametrize("text", ["5", "5%", "0.5%", "12.25"])
def test_percents_are_read_as_people_write_them(text: str) -> None:
    assert share_of("more-work", text) == pytest.approx(float(text.rstrip("%")) / 100)


@pytest.mark.parametrize("text", ["", "%", "-1%", "5 %", "five", "1e3", "nan", "12345"])
def test_other_texts_are_no_percents(text: str) -> None:
    with pytest.raises(UsageError, match="percents"):
        share_of("more-work", text)
