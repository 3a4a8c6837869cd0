"""The signature of an operator that no one has: sums of rows that indices name, with weights."""

from dataclasses import replace

from conformance.record.clause import document
from conformance.record.derive.calls import call
from conformance.record.signature import Form, Rule, Signature, flag, integers, number, tensor
from conformance.record.sizes import Size

SAYS = document("rows that no index names are not read", "document of gather_sum")
NULL, INVALID, TILING = 161001, 161002, 561002
TOKEN, HIDDEN = Size("token"), Size("hidden")
SLOT = Size("slot", least=1, most=4)
ROW = Size("row", free=SAYS)
PARAMETERS = (
    tensor("rows", ROW, HIDDEN, acl="rowsIn"),
    tensor("indices", TOKEN * SLOT, dtype=("int32", "int64"), numbers=ROW),
    tensor("weights", TOKEN, SLOT, dtype=("float16", "float32"), optional=True),
    number("top_k", SLOT),
    flag("padded", free=SAYS),
    tensor("sums", TOKEN, HIDDEN, role="output"),
)


def rule(*kinds, status=TILING, about=(), says=""):
    """A rule with a clause of its own."""
    return Rule(kinds, status, document(says or " ".join(kinds), "rules"), about)


RULES = (
    rule("null", status=NULL),
    rule("dtype", status=INVALID),
    rule("attribute", says="top_k is 1 to 4"),
    rule("extent", about=("indices",), says="top_k indices for each token"),
    rule("rank", "extent", says="shapes"),
)
SIGNATURE = Signature("gather_sum", PARAMETERS, RULES, {"padded": {"padded": 1}})
ALL = tensor("rows", Size("row", product=TOKEN * SLOT), HIDDEN, acl="rowsIn")
WHOLE = replace(SIGNATURE, parameters=(ALL, *PARAMETERS[1:]))
"""Its signature with a row for each index."""
BLOCK, PLACE = Size("block", free=SAYS), Size("place", free=SAYS)
FORMS = {
    "blocks": Form(
        {"layout": 1},
        (
            tensor("rows", BLOCK, PLACE, HIDDEN, acl="rowsIn"),
            tensor("indices", TOKEN * SLOT, dtype=("int32", "int64"), numbers=BLOCK * PLACE),
        ),
    ),
    "counted": Form(
        {"count": Size("row", least=1)},
        (tensor("rows", Size("row", least=1), HIDDEN, acl="rowsIn"),),
    ),
}
FORMED = replace(
    WHOLE,
    parameters=(*WHOLE.parameters, number("layout", least=0, most=1), number("count", least=0)),
    rules=(*RULES[:2], rule("attribute", about=("layout", "count"), says="modes"), *RULES[2:]),
    forms=FORMS,
)
"""That with two modes more: rows that lie in blocks, and rows that are counted."""

BY_WEIGHTS = replace(SLOT, default=1)
WEIGHED = replace(
    SIGNATURE,
    parameters=(
        PARAMETERS[0],
        tensor("indices", TOKEN * BY_WEIGHTS, dtype="int32", numbers=ROW),
        tensor("weights", TOKEN, BY_WEIGHTS, dtype=("float16", "float32"), optional=True),
        integers("order", free=SAYS, acl="orderOptional"),
        *PARAMETERS[4:],
    ),
    rules=(*RULES[:2], rule("limit", says="1 to 4 slots"), *RULES[3:]),
)
"""Of these calls the weights alone show the slots of a token: without them it has one."""

FLOATS = ("float16", "float32")
LEAST = Size("hidden", least=1)
SUMMED = Signature(
    "gather_sum",
    (
        tensor("rows", ROW, LEAST),
        tensor("weights", ROW, dtype=FLOATS, optional=True),
        tensor("sums", LEAST, role="output"),
        tensor("totals", ROW, role="output", dtype=FLOATS, optional=True, beside="weights"),
    ),
    (
        rule("null", about=("totals",), says="weights have totals"),
        *RULES[:2],
        rule("limit", "rank", "extent", says="shapes"),
    ),
)
"""Of these calls there are totals if there are weights, and no sums if there are no columns."""


def with_further(signature, name, further):
    """The signature with further axes of a tensor."""
    parameters = (
        replace(one, further=further) if one.name == name else one for one in signature.parameters
    )
    return replace(signature, parameters=tuple(parameters))


def right(mode="plain", *, weights=True, of=SIGNATURE, **sizes):
    """A call of three tokens of two slots, five rows of four columns, or of other ``sizes``."""
    known = {"token": 3, "slot": 2, "row": 5, "hidden": 4, **sizes}
    given = {"weights": {}} if weights else {}
    return call(of, mode, "float32", known, given)


def summed(*, weights=True, **sizes):
    """A call of five rows of four columns, or of other ``sizes``, with weights of float32."""
    given = {name: {"dtype": "float32"} for name in ("weights", "totals") if weights}
    return call(SUMMED, "plain", "float32", {"row": 5, "hidden": 4, **sizes}, given)
