"""Words about versions of CANN, and what is not called for them."""

from conformance.catalogue.message import Message

UP_TO = Message("up to CANN {until}", "仅限 CANN {until} 及以前")
LATER_THAN = Message("later than CANN {after}", "仅限 CANN {after} 之后")
BETWEEN = Message("later than CANN {after}, up to {until}", "仅限 CANN {after} 之后至 {until}")
KNOWN = Message("CANN {version}", "CANN {version}")
UNKNOWN = Message("a CANN whose version is not known", "CANN 版本未知")
NOT_WITH = Message(
    "not called with {cann}, but {versions}: {clause}", "不在 {cann} 上调用（{versions}）：{clause}"
)
LIFTED = Message(
    "carried out since, and rejected {versions}: {clause}", "此后可执行，{versions} 拒绝：{clause}"
)
OTHER_DTYPE = Message("{tensor} of another data type", "{tensor} 为另一数据类型")
OF_CALLS = Message("{operator}, {what}: {why}", "{operator}，{what}：{why}")
CLAUSE = Message("{text} [{source}]", "{text} [{source}]")
