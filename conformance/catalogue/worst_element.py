"""One wrong element: what was seen, what is accepted, and why."""

from conformance.catalogue.message import Message

FIRST_WRONG = Message(
    "first wrong element: {place} is {seen}, must be {must}",
    "首个错误元素：{place} 为 {seen}，应为 {must}",
)
WORST = Message(
    "worst element: {place} is {seen}, accepted: {accepted}{order}",
    "偏差最大的元素：{place} 为 {seen}，允许：{accepted}{order}",
)
OFF_THE_ORDER = Message(
    "legal but off the order: {place} is {seen}, accepted: {accepted}{order}",
    "合法但不符合声明的顺序：{place} 为 {seen}，允许：{accepted}{order}",
)
DECLARED = Message("; the declared order gives {value}", "；按声明的顺序应为 {value}")

ANY_NAN = Message("any NaN", "任意 NaN")
ZERO = Message("zero", "零")
BETWEEN = Message("{low} to {high}, {count} values", "{low} 至 {high}，共 {count} 个值")
ALONE = Message("{values} alone", "{values}（唯一值）")
AND_MORE = Message("{values} and {count} more", "{values} 及另外 {count} 个")

ROUNDED = Message("before rounding: {value}{given}", "取整前：{value}{given}")
VALUES_BETWEEN = Message("{low} to {high}", "{low} 至 {high}")
GIVEN = Message(", with {place} observed as {seen}", "，其中 {place} 实测为 {seen}")

ADDED = Message("added were {terms}", "参与累加：{terms}")
TERM = Message("{source} = {value} (slot {slot})", "{source} = {value}（槽 {slot}）")
NO_TERMS = Message("no terms, all slots of the row add nothing", "没有任何项，该行的各槽均不累加")

FIGURES = Message(
    "exact sum {exact}, sum of magnitudes {magnitude}, {terms} nonzero {terms:term|terms},"
    " unit roundoff {unit}, error bound {error} ({step})",
    "精确和 {exact}，绝对值之和 {magnitude}，非零项 {terms} 个，单位舍入 {unit}，"
    "误差界 {error}（{step}）",
)
NOT_FINITE = Message("infinite or NaN terms decide", "由无穷或 NaN 项决定")
CERTIFICATE = Message("certificate: every order gives the same sum", "已证明：任意顺序之和相同")
ALL_ORDERS_TRIED = Message("every order was tried: {count} trees", "已穷举全部顺序：{count} 棵树")
INTERVAL = Message("interval: the order may matter", "区间判定：顺序可能有影响")
