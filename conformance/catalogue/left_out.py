"""What a run cannot judge of what it was asked for, or does not call, and why."""

from conformance.catalogue.message import Message

LEFT_OUT = Message("not judged: {name}: {reason}", "未判定：{name}：{reason}")
NOT_REACHABLE = Message(
    "it is not reachable on route {route}: {reason}", "调用路径 {route} 无法到达：{reason}"
)
NO_MODE = Message("none of its modes is called there", "该路径上没有可调用的模式")
OTHER_ROUTE = Message("only route {routes} calls it", "仅可由调用路径 {routes} 调用")
AND = Message(" and ", " 和 ")
NOT_IN_CHECKOUT = Message("it is not in {folder}", "{folder} 中没有它")
NOT_IN_PACKAGE = Message("no part of it is in package {folder}", "算子包 {folder} 中没有其任何部分")

MODES_ELSEWHERE = Message(
    "not on route {route}: {operator} {modes} (on route {others})",
    "调用路径 {route} 不支持：{operator} {modes}（见调用路径 {others}）",
)
OPERATOR_ELSEWHERE = Message(
    "not reachable on route {route}: {operator} ({reason})",
    "调用路径 {route} 无法到达：{operator}（{reason}）",
)
NO_RECORD = Message("no record, not judged: {names}", "没有算子记录，未判定：{names}")
NOT_IN_THE_CHECKOUT = Message("not in the checkout: {names}", "代码仓中没有：{names}")
NOT_IN_THE_PACKAGE = Message("not in the package: {names}", "算子包中没有：{names}")
EMPTY_PACKAGE = Message(
    "package {folder} has no part of {operators}", "算子包 {folder} 中没有 {operators} 的任何部分"
)
