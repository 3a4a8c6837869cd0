"""Every text of the page of a history."""

from conformance.catalogue.message import Message

TITLE = Message("Runs over time", "各次运行的历史")
RUNS = Message("runs", "次运行")
OF_SERIES = Message("series of runs that can be compared", "个可比较的运行系列")
FAILING_CELLS = Message("cells fail now", "个单元当前未通过")
FROM_TO = Message("{first} to {last}", "{first} 至 {last}")
NO_RUN = Message("No run in the history.", "历史库中没有运行。")
VERDICTS = Message("Verdicts", "判定")
OPERATOR = Message("Operator", "算子")
LAST_RUNS = Message("Last {count} runs, newest right", "最近 {count} 次运行，最新的在右")
NOW = Message("Now", "当前")
FAILED_SHARE = Message("Failed runs", "未通过的运行")
SECONDS = Message("Seconds", "秒")
ACCEPTED = Message("accepted", "通过")
FAILED = Message("failed", "未通过")
INCOMPLETE = Message("incomplete", "未完成")
FAILING = Message("What fails now, and since when", "当前未通过的单元及其起始")
CELL = Message("Mode and data type", "模式与数据类型")
FIRST_BAD = Message("First failing run", "首次未通过的运行")
LAST_GOOD = Message("Last accepted before it", "此前最后一次通过")
NEVER = Message("none in the history", "历史库中没有")
NOTHING_FAILS = Message("Nothing fails in the last runs.", "最近的运行中没有未通过的单元。")
FLAKY = Message("Accepted and failed at one commit", "同一提交既通过又未通过")
FLAKY_NOTE = Message(
    "With one seed the kernel, or the host, does not give the same twice. With other seeds a run"
    " may have met a case that another did not.",
    "若种子相同，则算子或主机的结果不可重复；若种子不同，则可能只有部分运行遇到了出错的用例。",
)
COMMITS = Message("Commits", "提交数")
LAST_TIME = Message("Last time", "最近一次")
SEEDS = Message("Seeds", "种子")
ONE_SEED = Message("the same", "相同")
OTHER_SEEDS = Message("different", "不同")
NOTHING_FLAKY = Message("None.", "无。")
SLOW = Message("Slowest cells", "最慢的单元")
SLOW_NOTE = Message(
    "Median seconds of the last {count} whole runs, and of as many before them: drawing, device and"
    " judge together.",
    "最近 {count} 次完整运行的中位秒数，以及此前同样次数的中位数：包括生成、设备与判定。",
)
TIMED = Message("Time on the device", "设备用时")
TIMED_NOTE = Message(
    "Median of phase two of the calls that run --timing measures, in the last {count} whole runs,"
    " and in as many before them.",
    "run --timing 所计时调用第二段的中位用时：最近 {count} 次完整运行，以及此前同样次数。",
)
CALL = Message("Call", "调用")
MICROSECONDS = Message("Microseconds", "微秒")
BEFORE = Message("Before", "此前")
CHANGED = Message("Change", "变化")
MORE = Message("{count} more are not shown.", "另有 {count} 项未显示。")
MORE_SERIES = Message(
    "{count} older series are not shown: history show tells them.",
    "另有 {count} 个较早的系列未显示，可用 history show 查看。",
)
LARGE = Message(
    "the page would have {size} bytes, more than {most}",
    "页面将有 {size} 字节，超过 {most} 字节",
)
