"""Every text of the page of a run."""

from conformance.catalogue.message import Message

TITLE = Message("Conformance report", "一致性测试报告")
ACCEPTED = Message("Accepted", "通过")
FAILED = Message("Failed", "未通过")
INCOMPLETE = Message("Incomplete", "未完成")
NOTHING = Message("Nothing to judge", "无可判定的用例")
ENVIRONMENT = Message("The environment failed", "环境故障")
INTERRUPTED = Message("Interrupted", "已中断")
RUNNING = Message("The run did not end", "运行未正常结束")
CUT = Message("Accepted as far as the budget went", "在时间预算内通过")
NOT_JUDGED = Message("not judged", "未判定")
NONE_SHOWN = Message("No failures.", "没有失败项。")
NONE_JUDGED = Message("Nothing was judged.", "未判定任何用例。")
CASES = Message("Cases", "用例数")
DISTINCT = Message("distinct cases", "个不同用例")
CELLS_JUDGED = Message("cells selected", "个选定单元")
OF_DECLARED = Message("declared", "已声明")
FAILED_ITEMS = Message("failed items", "个失败项")
SECONDS = Message("seconds", "秒")
DEVICE = Message("Device", "设备")
CALLED = Message("Called", "实际调用")
ROUTE = Message("Route", "调用路径")
PROFILE = Message("Profile", "测试档位")
SEED = Message("Seed", "随机种子")
STARTED = Message("Started", "开始时间")
MATRIX = Message("Operators, modes and dtypes", "算子 × 模式 × 数据类型")
OPERATOR = Message("Operator", "算子")
MODE = Message("Mode", "模式")
DTYPE = Message("Dtype", "数据类型")
VERDICT = Message("Verdict", "判定")
EXACT = Message("Bit-exact", "逐位判定")
HEADROOM = Message("Worst headroom", "最小误差余量")
EXACT_NOTE = Message(
    "Bit-exact: of what was judged, the share of which the arithmetic allows one value"
    " alone; the rest is held to an interval. Worst headroom: of that rest, the smallest"
    " share of the accepted error left unused; 0 % is as right as 100 %. –: nothing to tell,"
    " or the cell failed.",
    "逐位判定：被判定的元素中，运算只允许唯一结果的比例；其余按区间判定。最小误差余量：按区间"
    "判定的元素中，未用到的可接受误差的最小比例；0 % 与 100 % 同样正确。“–”：无可报告，"
    "或该组合已失败。",
)
MATRIX_NOTE = Message(
    "A mark for each mode: filled: accepted; round: failed; empty: not or not wholly judged.",
    "每种模式一个标记：实心为通过，圆形为未通过，空心为未判定或未完成。",
)
TIME = Message("Seconds", "用时（秒）")
EVERY_MODE = Message("Every mode and data type", "每种模式与数据类型")
COVERAGE_SUM = Message(
    "{judged:,} of {tuples:,} combinations of levels and {edges_judged:,} of {edges:,}"
    " tiling boundaries are judged.",
    "取值组合共 {tuples:,} 个，已判定 {judged:,} 个；"
    "Tiling 边界共 {edges:,} 处，已判定 {edges_judged:,} 处。",
)
SOURCES = Message("Where the verdicts come from", "判定的来源")
COMMAND = Message("Command", "命令")
COMMIT = Message("Commit", "提交")
TREE = Message("Working tree", "工作区")
CHANGED = Message("has changes that are in no commit", "有未提交的改动")
CANN = Message("CANN version", "CANN 版本")
SOC = Message("SoC name", "SoC 型号")
HOST = Message("Host", "主机")
PACKAGES = Message("Versions", "版本")
JUDGE = Message("SHA-256 of the judge's sources", "判定代码的 SHA-256")
LIBRARIES = Message("Libraries loaded, with their SHA-256", "已加载的库及其 SHA-256")
MUST_BE_REFUSED = Message("must be rejected", "应被拒绝的调用")
RELATIONS = Message("relations", "算子间关系")
SEQUENCES = Message("sequences of calls", "调用序列")
COVERAGE = Message("Coverage", "覆盖率")
COMBINATIONS = Message("Combinations of levels", "取值组合")
EDGES = Message("Tiling boundaries", "Tiling 边界")
MISSING = Message("Not judged", "未判定")
NO_COVERAGE = Message("This run declares no discrete cells.", "本次运行未声明离散单元。")
NOT_HERE = Message("Not possible here, not judged: {line}", "此处无法执行，未判定：{line}")
GAVE_WAY = Message("Gave way to another card: {line}", "已改用另一张卡：{line}")
LOST_WORKER = Message("Lost: {line}", "已失去：{line}")
EARLY = Message(
    "Items with a failure end before their last cases, so gaps may come from the failures.",
    "测试项失败后即提前终止，其余用例未执行，覆盖缺口可能由此造成。",
)
KERNEL_COVERAGE = Message("Kernel source", "Kernel 源码")
LINES = Message("Lines", "行")
BRANCHES = Message("Branches", "分支")
LINES_MISSED = Message("Lines not run", "未执行的行")
FAILURES = Message("Failures", "失败详情")
REPLAY = Message("Replay this case", "复现该用例")
REPORTED = Message("This mistake in public reports", "该错误的公开报告")
PICTURE = Message("Where it is wrong", "错误位置")
PICTURE_LARGER = Message(
    "Where it is wrong, in a larger case than the smallest",
    "错误位置（取自比最小用例更大的用例）",
)
LARGER_CASE = Message("What was found in the larger case", "较大用例的诊断信息")
DISTANCES = Message("How far off", "偏差分布")
MAP_WORDS = Message(
    "{wrong:,} of {all:,} elements are wrong",
    "{all:,} 个元素中有 {wrong:,} 个错误",
)
WRONG = Message("wrong, the stronger the colour the more", "错误元素，颜色越浓占比越高")
BLOCK = Message("one square: {rows} × {columns} elements", "每格：{rows} × {columns} 个元素")
BEGINS_EXPERTS = Message("an expert's rows begin", "专家的起始行")
BEGINS_CORES = Message(
    "a core's rows begin, if rows are shared in order",
    "核的起始行（假定按顺序均分）",
)
BEGINS_TILES = Message("a tile begins", "分块（tile）起始列")
COLUMNS_UP_TO = Message("columns 0 to {last}", "列 0 至 {last}")
ROWS_UP_TO = Message("rows 0 to {last}, downwards", "行 0 至 {last}（自上而下）")
BAR_RIGHT = Message("accepted", "正确")
BAR_UNWRITTEN = Message("never written", "未写入")
BAR_OFF = Message("off by {span} {unit}", "偏差 {span} {unit}")
BAR_NAN = Message("NaN", "非数 NaN")
BAR_OPEN = Message("nothing promised", "无规定")
MORE_GAPS = Message("and {count:,} more, in evidence.json", "另有 {count:,} 项，见 evidence.json")
NO_LINES = Message(
    "No diagnostic names a line of the kernel: where is told by the picture alone.",
    "没有诊断指出 Kernel 的具体行，位置只能由上图判断。",
)
KERNEL_LINES = Message("Lines of the kernel", "Kernel 源码位置")
DETAILS = Message("What was found", "诊断信息")
DIAGNOSTICS_NOTE = Message(
    "Words of documents and a kernel's own messages are quoted as they are.",
    "文档引文与 Kernel 自身的消息保持原文。",
)
CUT_TEXT = Message(
    "The text was cut here; verdict.txt has all of it.",
    "文本在此截断，全文见 verdict.txt。",
)
ALIKE = Message("Of the same diagnosis", "同一诊断")
MORE_FAILURES = Message(
    "{count} more failures, see the folder failures",
    "{count} 个失败项未列出，见 failures 目录",
)
ERRORS = Message("Ended without a verdict", "未得出判定即结束")
YES = Message("accepted", "通过")
NO = Message("failed", "未通过")
PARTIAL = Message("incomplete", "未完成")
