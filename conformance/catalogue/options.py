"""Why an option, or what it names, is not accepted: the rule behind parameter and value."""

from conformance.catalogue.message import Message

FOLDER = Message("allowed: a folder that exists", "允许：已存在的目录")
NOT_WITH = Message("does not go with {option}", "不能与 {option} 同用")
A_FILE = Message("allowed: a file in a folder that exists", "允许：已存在目录中的文件")
WITH = Message("goes with {option}", "须与 {option} 同用")
VERSIONS = Message(
    "allowed: two numbers and what follows, such as 9.1 or 8.5.0.alpha003",
    "允许：两个数字及其后缀，如 9.1 或 8.5.0.alpha003",
)
SIMULATOR = Message("{option} needs the simulator", "{option} 需要模拟器")
KERNELS_ROUTE = Message("--kernels is called on route {route}", "--kernels 由调用路径 {route} 调用")
PACKAGE_ROUTE = Message("a package is called on route {route}", "算子包由调用路径 {route} 调用")
INTEGERS = Message("allowed: integers from {least} to {most}", "允许：{least} 至 {most} 的整数")
PROCESSES = Message(
    "allowed: integers from 0 (no extra process) to {most}",
    "允许：0（不另起进程）至 {most} 的整数",
)
PARTS = Message("allowed: integers from 1 to {most}", "允许：1 至 {most} 的整数")
FROM_ONE = Message(
    "allowed with {option}: integers from 1", "与 {option} 同用时允许：不小于 1 的整数"
)
BLOCK_ORDERS = Message(
    "allowed: forward, reverse, shuffled:SEED", "允许：forward、reverse、shuffled:SEED"
)
SCHEDULES = Message("allowed: program, late, random:SEED", "允许：program、late、random:SEED")
CHOICE_OF_SIMULATOR = Message("only a simulated device can choose it", "只有模拟设备能够选择")
NOTHING_TO_JUDGE = Message("there is nothing to judge", "没有可判定的内容")
NOTHING_TO_FREEZE = Message("there is nothing to freeze", "没有可冻结的内容")
NO_FIGURE = Message(
    "evidence.json holds a figure that no run writes: {error}",
    "evidence.json 含有运行不会写出的数值：{error}",
)
LARGE_PAGE = Message(
    "the page would have {size:,} bytes; allowed: up to {most:,}",
    "页面将有 {size:,} 字节；允许：至多 {most:,}",
)
NOT_WRITTEN = Message("cannot be written: {error}", "无法写入：{error}")

ROUTE_OF_CASE = Message("route of the case", "用例的调用路径")
NO_PERCENT = Message("it must be percents, such as 5% or 0.5%", "必须是百分数，例如 5% 或 0.5%")
