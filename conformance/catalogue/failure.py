"""What is told of a refused case beside its verdict, and what is wrong with a stored one."""

from conformance.catalogue.message import Message

REGRESSION_CALLED = Message("regression called: {name}", "回归用例名：{name}")
KEPT_FOR = Message("kept for: {why}", "保留原因：{why}")
REPORTED = Message("reported: {link}", "公开报告：{link}")
ALONE_ACCEPTED = Message(
    "alone, on a new device, the call is accepted", "在新打开的设备上单独执行时，该调用通过判定"
)
UNREPEATABLE = Message(
    "The device does not repeat its answer: the same case failed once and was accepted on the"
    " device opened anew. The answer is random, or depends on earlier calls. The failure is shown"
    " here.",
    "设备的结果不可复现：同一用例一次未通过，在新打开的设备上重跑后通过。结果随机，或取决于之前的调用。"
    "此处给出未通过的结果。",
)
AS_DRAWN = Message(
    "Nothing smaller was looked for: another failure of the same diagnosis stands for it.",
    "未为此用例寻找更小的用例：同一诊断由另一失败项代表。",
)
LOST = Message(
    "the case was not run again, as the device was lost: {reason}",
    "设备已丢失，该用例未能重跑：{reason}",
)
SEARCH_ENDED = Message(
    "the search for a smaller case ended after {what}", "对更小用例的搜索已停止：{what}"
)
HANGS = Message("{count} calls that did not end", "{count} 次调用未结束")
REOPENED = Message("{count} times that the device was opened anew", "设备已重新打开 {count} 次")
SECONDS = Message("{seconds:g} s", "已用 {seconds:g} 秒")
ALL_THE_TIME = Message("all of the run's time", "运行时间用尽")

UP_THE_LADDER = Message(
    "up the ladder of {ladder} on {cores} {cores:core|cores}: {below:,} is accepted, {above:,}"
    " fails",
    "{ladder} 的阶梯（{cores} 核）：{below:,} 通过，{above:,} 未通过",
)
FIRST_OF_THE_LADDER = Message(
    "up the ladder of {ladder} on {cores} {cores:core|cores}: {above:,}, the first, fails",
    "{ladder} 的阶梯（{cores} 核）：第一级 {above:,} 即未通过",
)
WORKLOAD = Message("workload {batch}", "工作负载 {batch}")

LARGER_PATTERN = Message(
    "in a larger case, {name} [{shape}]: {pattern}", "在更大的用例中，{name} [{shape}]：{pattern}"
)
LARGER_CASE = Message("the larger case: {command}", "较大用例的复现命令：{command}")
PLUGIN_CALLED = Message(
    "called was {implementation}: to call it again, run this item again",
    "实际调用的是 {implementation}：请重新运行该测试项以再次调用",
)
REPLAY = Message("replay: {command}", "复现命令：{command}")
CASE_ALONE = Message("its bundle is the case alone:", "复现包中仅有该用例：")
NOT_WRITTEN = Message(
    "the bundle of a failed case cannot be written: {error}", "未通过用例的复现包无法写入：{error}"
)

NO_CASE = Message("is no case that a run wrote: {error}", "不是运行写出的用例：{error}")
OTHER_SCHEMA = Message(
    "has schema {schema}; this version reads {known}", "其 schema 为 {schema}；本版本读取 {known}"
)
NOT_TO_JUDGE = Message("is no case to judge: {error}", "不是可判定的用例：{error}")
OF_THE_CASE = Message("{what} of the case", "用例的{what}")
OPERATOR = Message("operator", "算子")
REJECTION = Message("rejection", "应被拒绝的调用")
EXAMPLE = Message("example", "示例")
RELATION = Message("relation", "关系")
NOT_ON_RECORD = Message("is not on record; known: {names}", "没有记录；已知：{names}")
