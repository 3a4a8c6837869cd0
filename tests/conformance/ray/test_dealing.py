"""Who judges what next: items that share rows stay together, and what is lost is dealt again."""

from __future__ import annotations

from conformance.ray.dealing import CHUNK, TRIES, Dealing, Group, grouped


def test_drawn_items_that_share_rows_are_a_group() -> None:
    items = [("a", "rows", True), ("b", "rows", True), ("c", "others", True)]
    assert grouped(items) == [Group(("a", "b"), whole=False), Group(("c",), whole=False)]


def test_items_without_draws_are_given_by_the_dozen() -> None:
    groups = grouped((f"example{n}", n, False) for n in range(CHUNK + 1))
    assert [len(one.items) for one in groups] == [CHUNK, 1]
    assert all(one.whole for one in groups)


def test_a_drawn_item_is_in_no_group_with_others() -> None:
    groups = grouped([("a", 1, False), ("b", 2, True), ("c", 3, False)])
    assert [one.items for one in groups] == [("a",), ("b",), ("c",)]


def test_a_worker_keeps_to_its_group_while_another_takes_the_next() -> None:
    dealing = Dealing([Group(("a", "b"), whole=False), Group(("c", "d"), whole=False)])
    assert [dealing.next(who) for who in ("one", "two", "one", "two")] == [
        ["a"],
        ["c"],
        ["b"],
        ["d"],
    ]


def test_a_worker_without_a_group_takes_the_last_item_of_the_longest() -> None:
    dealing = Dealing([Group(("a", "b", "c", "d"), whole=False)])
    assert [dealing.next(who) for who in ("one", "two", "two", "one", "two")] == [
        ["a"],
        ["d"],
        ["c"],
        ["b"],
        [],
    ]


def test_what_has_ended_before_is_not_dealt() -> None:
    dealing = Dealing([Group(("a", "b"), whole=True), Group(("c",), whole=True)], ended={"a", "c"})
    assert dealing.next("one") == ["b"]
    assert dealing.open == 1


def test_what_a_lost_worker_had_begun_is_dealt_first_and_its_group_next() -> None:
    dealing = Dealing([Group(("a", "b", "c"), whole=False), Group(("d",), whole=False)])
    assert dealing.next("one") == ["a"]
    assert dealing.lose("one", ["a"]) == []
    assert [dealing.next("two") for _ in range(4)] == [["a"], ["b"], ["c"], ["d"]]


def test_an_item_that_loses_every_worker_is_given_up_and_those_that_waited_are_not() -> None:
    dealing = Dealing([Group(("a", "b"), whole=True)])
    given = dealing.next("one")
    for number in range(1, TRIES):
        assert dealing.lose("one", given) == []
        given = ["a", "b"]
        assert [dealing.next("one"), dealing.next("one")] == [["a"], ["b"]], number
    assert dealing.lose("one", given) == ["a"]
    assert dealing.next("one") == ["b"]


def test_an_item_whose_device_failed_is_judged_once_more() -> None:
    dealing = Dealing([Group(("a",), whole=False)])
    assert [dealing.may_fail("a"), dealing.may_fail("a")] == [True, False]
