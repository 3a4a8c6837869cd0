"""A run on a cluster: each item is judged once, whichever workers and nodes are lost or join."""

from __future__ import annotations

import pytest

from conformance.errors import EnvironmentFailure
from conformance.ray.farm import SESSIONS, SILENT_SECONDS, STARTS
from conformance.ray.messages import Bundled, Gone, Message, Written, encode
from tests.conformance.ray.fake_cluster import (
    A,
    B,
    C,
    FakeCluster,
    Worker,
    farm,
    go_on,
    items,
    judges,
)


def judged(cluster: FakeCluster) -> dict[str, list[str]]:
    """The items that each worker has begun."""
    return {worker.name: worker.judged for worker in cluster.workers}


def test_every_item_is_judged_and_reported_once_by_workers_of_all_nodes() -> None:
    cluster = FakeCluster(A, B)
    made, desk, _ = farm(cluster, 6)
    made.run(go_on)
    assert {*desk.reports} == {*items(6)}
    assert [*map(len, judged(cluster).values())] == [3, 3]
    assert len(desk.lines) == 6
    assert not desk.losses
    assert all(worker.ended for worker in cluster.workers)


def test_no_more_workers_judge_than_are_asked_for() -> None:
    cluster = FakeCluster(A, B, C)
    made, _, _ = farm(cluster, 6, most=2)
    made.run(go_on)
    assert len(cluster.workers) == 2


def test_no_worker_is_started_without_an_item_for_it() -> None:
    cluster = FakeCluster(A, B, C)
    made, _, _ = farm(cluster, 1)
    made.run(go_on)
    assert len(cluster.workers) == 1


def test_a_lost_node_costs_what_it_was_judging_which_is_told_and_judged_elsewhere() -> None:
    def dies(worker: Worker, item: str) -> list[Message]:
        if item == "item1":
            cluster.lose(worker.node)
        return judges(worker, item)

    cluster = FakeCluster(A, B, does=dies)
    made, desk, _ = farm(cluster, 4)
    with pytest.raises(EnvironmentFailure, match="host-b is gone"):
        made.run(go_on)  # item1 is the end of each node
    assert ("ray1", "host-b", "host-b is gone", ["item1"]) in desk.losses

    lost: list[str] = []

    def dies_once(worker: Worker, item: str) -> list[Message]:
        if item == "item1" and not lost:
            lost.append(worker.node.name)
            cluster.lose(worker.node)
        return judges(worker, item)

    cluster = FakeCluster(A, B, does=dies_once)
    made, desk, _ = farm(cluster, 4)
    made.run(go_on)
    assert {*desk.reports} == {*items(4)}
    assert desk.losses == [("ray1", "host-b", "host-b is gone", ["item1"])]
    assert judged(cluster)["ray0"].count("item1") == 1


def test_a_node_that_joins_is_used() -> None:
    def joins(cluster: FakeCluster) -> None:
        if cluster.now == 3:
            cluster.alive.append(B)

    cluster = FakeCluster(A, happens=joins)
    made, desk, _ = farm(cluster, 8)
    made.run(go_on)
    assert {*desk.reports} == {*items(8)}
    assert [worker.node for worker in cluster.workers] == [A, B]
    assert judged(cluster)["ray1"]


def test_a_run_outlives_all_nodes_it_began_with() -> None:
    def changes(cluster: FakeCluster) -> None:
        if cluster.now == 3:
            cluster.alive.append(B)
        if cluster.now == 5:
            cluster.lose(A)

    cluster = FakeCluster(A, happens=changes)
    made, desk, _ = farm(cluster, 12)
    made.run(go_on)
    assert {*desk.reports} == {*items(12)}


def test_nothing_is_started_for_a_while_on_a_node_that_only_seems_to_live() -> None:
    began: list[float] = []

    def dies(worker: Worker, item: str) -> list[Message]:
        began.append(cluster.now)
        if len(began) == 1:
            worker.gone = "killed"
        return judges(worker, item)

    cluster = FakeCluster(A, does=dies)
    made, desk, _ = farm(cluster, 1)
    made.run(go_on)
    assert desk.reports.keys() == {"item0"}
    assert began[1] - began[0] >= SILENT_SECONDS


def test_an_item_that_ends_every_worker_is_given_up_and_the_others_are_judged() -> None:
    def dies(worker: Worker, item: str) -> list[Message]:
        if item == "item1":
            worker.gone = "killed"
        return judges(worker, item)

    cluster = FakeCluster(A, B, does=dies)
    made, desk, _ = farm(cluster, 5)
    made.run(go_on)
    assert desk.crashes == ["item1"]
    assert {*desk.reports} == {*items(5)} - {"item1"}
    assert [again for *_, again in desk.losses] == [["item1"], ["item1"], []]


def test_a_node_with_other_sources_judges_nothing() -> None:
    cluster = FakeCluster(A, B)
    cluster.judges_on[B.id] = {"sources": "others"}
    made, desk, _ = farm(cluster, 4)
    made.run(go_on)
    assert judged(cluster) == {"ray0": items(4), "ray1": []}
    assert [reason for *_, reason, _ in desk.losses] == [
        "refused, its sources differ from those of this host"
    ]


def test_a_run_ends_where_every_node_is_refused_and_says_why() -> None:
    cluster = FakeCluster(A)
    cluster.judges_on[A.id] = {"sources": "others"}
    made, _, dealing = farm(cluster, 2)
    with pytest.raises(EnvironmentFailure, match="host-a: refused, its sources differ"):
        made.run(go_on)
    assert dealing.open == 2


def test_a_cluster_without_what_a_worker_needs_is_told() -> None:
    made, _, _ = farm(FakeCluster(), 1)
    with pytest.raises(EnvironmentFailure, match="no node has what a worker needs"):
        made.run(go_on)


def test_the_verdicts_of_another_device_are_not_kept() -> None:
    def opens(worker: Worker, item: str) -> list[Message]:
        which = b"ours" if worker.node == A else b"theirs"
        return [Written(kind="device", line=which), *judges(worker, item)]

    cluster = FakeCluster(A, B, does=opens)
    made, desk, _ = farm(cluster, 4)
    made.run(go_on)
    assert {*desk.reports} == {*items(4)}
    assert {worker for worker, _ in desk.lines} == {"ray0"}
    assert [(reason, again) for *_, reason, again in desk.losses] == [("another device", ["item1"])]


def test_an_item_whose_card_failed_is_judged_on_another_and_nobody_gets_the_first() -> None:
    def fails(worker: Worker, item: str) -> list[Message]:
        return judges(worker, item, "card 0 is lost" if worker.node == B else "")

    cluster = FakeCluster(A, B, does=fails)
    made, desk, _ = farm(cluster, 6)
    made.run(go_on)
    assert {*desk.reports} == {*items(6)}
    assert desk.losses == [("ray1", "host-b", "card 0 is lost", ["item1"])]
    assert [worker.node for worker in cluster.workers] == [A, B]


def test_an_item_that_fails_on_two_devices_is_reported_as_it_was_there() -> None:
    def fails(worker: Worker, item: str) -> list[Message]:
        return judges(worker, item, "no memory" if item == "item0" else "")

    cluster = FakeCluster(A, B, does=fails)
    made, desk, _ = farm(cluster, 4)
    made.run(go_on)
    assert {*desk.reports} == {*items(4)}
    assert len(desk.losses) == 1


def test_a_session_that_ends_is_replaced_until_it_ends_in_vain() -> None:
    def ends(worker: Worker, item: str) -> list[Message]:
        return [Gone(status=3, text="INTERNALERROR")] if item != "item0" else judges(worker, item)

    cluster = FakeCluster(A, does=ends)
    made, desk, _ = farm(cluster, 9)
    with pytest.raises(EnvironmentFailure, match="status 3: INTERNALERROR"):
        made.run(go_on)
    assert desk.reports.keys() == {"item0"}
    assert desk.crashes == ["item1", "item2"]
    assert len(cluster.workers) == SESSIONS


def test_a_node_on_which_no_session_begins_is_refused() -> None:
    cluster = FakeCluster(A, B)
    made, desk, _ = farm(cluster, 3)
    start = cluster.start

    def broken(*how: object) -> Worker:
        worker: Worker = start(*how)  # type: ignore[arg-type]
        if worker.node == B:
            worker.say = lambda: [_gone()]  # type: ignore[method-assign]
        return worker

    cluster.start = broken  # type: ignore[method-assign]
    made.run(go_on)
    assert {*desk.reports} == {*items(3)}
    assert [reason for *_, reason, _ in desk.losses] == [
        "its pytest session did not begin: no such folder"
    ]


def _gone() -> bytes:
    return encode(Gone(status=4, text="no such folder"))


def test_a_node_where_no_worker_can_be_started_is_not_tried_for_ever() -> None:
    cluster = FakeCluster(A)
    made, _, dealing = farm(cluster, 2)
    start = cluster.start

    def without_the_suite(*how: object) -> Worker:
        worker: Worker = start(*how)  # type: ignore[arg-type]
        worker.gone = "No module named 'conformance'"
        return worker

    cluster.start = without_the_suite  # type: ignore[method-assign]
    with pytest.raises(EnvironmentFailure, match="host-a: No module named 'conformance'"):
        made.run(go_on)
    assert len(cluster.workers) == STARTS
    assert dealing.open == 2


def test_the_first_worker_probes_its_device_and_the_next_where_it_was_lost_too_early() -> None:
    def dies(worker: Worker, item: str) -> list[Message]:
        if worker.name == "ray0":
            worker.gone = "killed"
        return judges(worker, item)

    cluster = FakeCluster(A, B, does=dies)
    made, _, _ = farm(cluster, 40)
    made.run(go_on)
    assert [worker.probes for worker in cluster.workers] == [True, False, True]


def test_a_worker_that_comes_later_is_told_how_much_of_the_budget_is_gone() -> None:
    def joins(cluster: FakeCluster) -> None:
        if cluster.now == 6:
            cluster.alive.append(B)

    cluster = FakeCluster(A, happens=joins)
    made, _, _ = farm(cluster, 9)
    made.run(go_on)
    assert [worker.elapsed for worker in cluster.workers] == [None, 5.0]


def test_a_run_that_is_stopped_deals_no_further_item() -> None:
    cluster = FakeCluster(A)
    made, desk, dealing = farm(cluster, 5)
    made.run(lambda: len(desk.reports) == 2)
    assert len(desk.reports) + dealing.open == 5
    assert len(desk.reports) <= 3
    assert all(worker.ended for worker in cluster.workers)


def test_an_interrupt_ends_every_worker_at_once() -> None:
    def interrupts(cluster: FakeCluster) -> None:
        if cluster.now == 4:
            raise KeyboardInterrupt

    cluster = FakeCluster(A, B, happens=interrupts)
    made, _, _ = farm(cluster, 50)
    with pytest.raises(KeyboardInterrupt):
        made.run(go_on)
    assert all(worker.ended for worker in cluster.workers)


def test_the_files_of_a_failure_are_kept_before_its_line() -> None:
    def fails(worker: Worker, item: str) -> list[Message]:
        return [Bundled(path="failures/x/case.json", content=b"{}"), *judges(worker, item)]

    cluster = FakeCluster(A, does=fails)
    made, desk, _ = farm(cluster, 1)
    made.run(go_on)
    assert desk.files == {"failures/x/case.json": b"{}"}


def test_names_of_workers_go_on_where_an_earlier_part_of_the_run_ended() -> None:
    cluster = FakeCluster(A)
    made, _, _ = farm(cluster, 1, first=7)
    made.run(go_on)
    assert [worker.name for worker in cluster.workers] == ["ray7"]
