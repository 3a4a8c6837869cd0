"""Of rejected calls that are alike smoke makes one, another for another seed."""

from conformance.draw.profiles import PROFILES
from conformance.draw.rejections_asked import alike, rejections_asked
from conformance.record.clause import document
from conformance.record.operator import Rejection
from tests.conformance.segment_sum import whole

RULE, OTHER = document("x is given", "a page"), document("shapes fit", "a page")


def refused(name: str, clause=RULE) -> Rejection:
    """A rejected call of the mode plain."""
    return Rejection(name, whole(), 161002, clause)


MODE = whole().mode
NULLS = [refused(f"x is null, {MODE}{without}") for without in ("", ", without a", ", without b")]


def test_what_is_told_after_the_mode_makes_no_difference() -> None:
    assert {alike(one) for one in NULLS} == {"x is null"}
    assert alike(refused("y is null, in words of its own")) == "y is null, in words of its own"


def test_wrong_shapes_are_alike_if_the_same_axes_are_too_short_or_too_long() -> None:
    def of_shapes(wrong: str, right: str) -> str:
        return alike(refused(f"x is [{wrong}], not [{right}], {MODE}"))

    assert of_shapes("5, 2", "4, 2") == of_shapes("9, 3", "8, 3") == "x is >="
    assert of_shapes("3, 2", "4, 2") == "x is <="
    assert of_shapes("4, 3", "4, 2") == "x is =>"
    assert of_shapes("8", "4, 2") == "x is 1 axes for 2"
    assert of_shapes("", "4") == "x is 0 axes for 1"


def test_one_of_those_that_are_alike_is_made_by_turns_and_the_first_of_a_rule_always() -> None:
    shapes = [refused(f"x is [{n + 1}], not [{n}], {MODE}", OTHER) for n in (1, 2, 3)]
    calls = [*NULLS, *shapes, refused("alone")]
    assert rejections_asked(calls, True, 0) == tuple(calls)
    made = [{one.name for one in rejections_asked(calls, False, turn)} for turn in range(3)]
    assert all({NULLS[0].name, shapes[0].name, "alone"} <= some for some in made)
    assert all(len(some) <= 5 for some in made)
    assert set.union(*made) == {one.name for one in calls}


def test_smoke_alone_leaves_rejected_calls_out() -> None:
    assert [name for name, one in PROFILES.items() if not one.each_rejection] == ["smoke"]
