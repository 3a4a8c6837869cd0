"""Time of fixed calls on an NPU, and what the gate says of it."""

from conformance.catalogue.message import Message

NO_BATCHES = Message("no list of batches ({error})", "不是批次列表（{error}）")
NO_CASE = Message("no case of this batch can be drawn", "无法抽取该批次的用例")
REPETITIONS = Message("allowed: {least} to {most} repetitions", "允许：重复 {least} 到 {most} 次")
ONLY_ON_AN_NPU = Message(
    "the simulated device takes no time of its own: name an NPU with --device",
    "模拟设备没有自己的耗时：请用 --device 指定 NPU",
)

SLOWER = Message(
    "{was:,.4g} us -> {now:,.4g} us, {ratio:.3f} times; the interval of the ratio, {low:.3f} to"
    " {high:.3f}, lies above {most:.3f}",
    "{was:,.4g} us -> {now:,.4g} us，{ratio:.3f} 倍；比值区间 {low:.3f} 至 {high:.3f} 高于"
    " {most:.3f}",
)
TIMED = Message(
    "time of {calls} timed {calls:call|calls}: {ratio:.3f} times the baseline's (geometric mean);"
    " most grew {name}, {worst:.3f} times",
    "{calls} 次计时调用的耗时：为基线的 {ratio:.3f} 倍（几何平均）；增长最多的是"
    " {name}，{worst:.3f} 倍",
)
NO_TIMES = Message(
    "time is not compared: the run has no timed calls (run --timing)",
    "未比较耗时：该运行没有计时调用（run --timing）",
)
NO_TIMES_BEFORE = Message(
    "time is not compared: the baseline has no timed calls of the same inputs",
    "未比较耗时：基线没有相同输入的计时调用",
)
NOT_TIMED = Message("not timed: {name}: {why}", "未计时：{name}：{why}")
