"""What stands beside the table of a run: a line for each thing, counted or listed."""

from conformance.catalogue.message import Message

HEADROOM = Message(
    "worst headroom: the smallest share of the accepted error that a right element left unused;"
    " 0.0% is as right as 100%",
    "最小误差余量：正确元素未用到的可接受误差的最小比例；0.0% 与 100% 同样正确",
)

SELECTIONS = Message(
    "{operator}: {certain} of {count} selected {count:row|rows} have one legal answer",
    "{operator}：{count} 行选择中有 {certain} 行只有一个合法结果",
)
UNBOUNDED = Message(
    "{operator}: {count} {count:value|values} not bounded: too little is known of the device's"
    " functions (docs/how-to/npu-host.md, section 5)",
    "{operator}：{count} 个值无界：对该设备函数的了解不足（docs/how-to/npu-host.md，第 5 节）",
)
UNBOUNDED_ANYWAY = Message(
    "{operator}: {count} {count:value|values} not bounded: no bound is proved of infinite, zero or"
    " extreme sums, scales and operands (docs/reference/contracts.md)",
    "{operator}：{count} 个值无界：和、缩放因子或操作数为无穷、零或极端值时，没有已证明的界"
    "（docs/reference/contracts.md）",
)
UNBOUNDED_IN_PYTHON = Message(
    "{operator}: {count} {count:value|values} not bounded: too little is known of the"
    " implementation's functions (FUNCTIONS, docs/how-to/own-implementation.md), or a sum is"
    " beyond 2^-100 to 2^100",
    "{operator}：{count} 个值无界：对该实现所用函数的了解不足"
    "（FUNCTIONS，docs/how-to/own-implementation.md），或某个和超出 2^-100 至 2^100",
)
NOT_POSSIBLE = Message("not possible here, not judged: {line}", "此处无法执行，未判定：{line}")
NOT_POSSIBLE_CALLS = Message(
    "not possible here, not judged: {cell}: {count} {count:call|calls} that the route cannot"
    " express, its CANN may not carry out, or the device has no memory for",
    "此处无法执行，未判定：{cell}：{count} 次调用无法以该调用路径表达、CANN 版本未必支持，"
    "或设备内存不足",
)
NOT_JUDGED = Message("not judged: {cell}", "未判定：{cell}")
GAVE_WAY = Message("gave way to another card: {line}", "已改用另一张卡：{line}")
LOST_WORKER = Message("lost: {line}", "已失去：{line}")
CALLED = Message("called: {implementation}", "调用：{implementation}")
UNNAMED = Message("a device that names neither itself nor its libraries", "未说明自身及其库的设备")

IN_QUARANTINE = Message("in quarantine, not judged: {line}", "隔离观察，未判定：{line}")
QUARANTINE = Message(
    "quarantine: {count:,} {count:call|calls} observed, not judged (`--verbose` lists them)",
    "隔离观察：{count:,} 次调用，不作判定（`--verbose` 逐条列出）",
)
QUARANTINE_AS_BEFORE = Message(
    "quarantine: {count:,} {count:call|calls} observed, not judged, answered as in the run before"
    " (`--verbose` lists them)",
    "隔离观察：{count:,} 次调用，不作判定，结果与上次运行相同（`--verbose` 逐条列出）",
)
QUARANTINE_OTHERWISE = Message(
    "quarantine: {count:,} {count:call|calls} observed, not judged, of which {others} answered"
    " otherwise in the run before (`--verbose` lists them)",
    "隔离观察：{count:,} 次调用，不作判定，其中 {others} 次与上次运行不同（`--verbose` 逐条列出）",
)
ANSWERS_OTHERWISE = Message(
    "changed since the run before: in quarantine: {name}: {answer}",
    "与上次运行不同：隔离观察：{name}：{answer}",
)
ANSWERED = Message("  before: {answer}", "  上次：{answer}")
FEWER_CASES = Message(
    "changed since the run before: {cell}: {now:,} cases, before {before:,}",
    "与上次运行不同：{cell}：用例 {now:,} 个，上次 {before:,} 个",
)

LEVELS = Message("levels", "取值")
PAIRS = Message("pairs of levels", "取值对")
TRIPLES = Message("triples of levels", "取值三元组")
COMBINATIONS = Message("combinations of levels", "取值组合")
COVERAGE = Message(
    "coverage: {judged:,} of {tuples:,} {kind} judged",
    "覆盖：{kind}共 {tuples:,} 个，已判定 {judged:,} 个",
)
COVERAGE_AND_EDGES = Message(
    "coverage: {judged:,} of {tuples:,} {kind} and {edges_judged:,} of {edges:,} edges of tilings"
    " judged",
    "覆盖：{kind}共 {tuples:,} 个，已判定 {judged:,} 个；"
    "Tiling 边界共 {edges:,} 处，已判定 {edges_judged:,} 处",
)
DISCRETE_CELLS = Message(
    "discrete cells: {judged:,} of {tuples:,} {kind} judged",
    "离散单元：{kind}共 {tuples:,} 个，已判定 {judged:,} 个",
)
DISCRETE_CELLS_AND_FEWEST = Message(
    "discrete cells: {judged:,} of {tuples:,} {kind} judged; fewest cases: {fewest} ({where})",
    "离散单元：{kind}共 {tuples:,} 个，已判定 {judged:,} 个；用例最少者 {fewest} 个（{where}）",
)
EDGES = Message(
    "edges of tilings on chips: {judged:,} of {edges:,} judged",
    "各芯片的 Tiling 边界：共 {edges:,} 处，已判定 {judged:,} 处",
)
GAP = Message("not judged: {cell}: {gap}", "未判定：{cell}：{gap}")
MORE_GAPS = Message(
    "not judged: {count:,} more, see coverage in evidence.json",
    "未判定：另有 {count:,} 项，见 evidence.json 的 coverage",
)
LARGER_PROFILES = Message("larger profiles: {profiles}", "更大的档位：{profiles}")
MORE_EDGES = Message(
    "{profile} judges {edges:,} more {edges:edge|edges}", "{profile} 多判定 {edges:,} 处边界"
)
MORE_TUPLES = Message("{profile} judges {tuples:,} {kind}", "{profile} 判定 {tuples:,} 个{kind}")
MORE_EDGES_AND_TUPLES = Message(
    "{profile} judges {edges:,} more {edges:edge|edges} and {tuples:,} {kind}",
    "{profile} 多判定 {edges:,} 处边界和 {tuples:,} 个{kind}",
)

ORDER = Message("order of additions: {line}", "累加顺序：{line}")
ORDERS_DECLARED = Message(
    "order of additions: as declared in {declared:,} {declared:operator|operators} (`--verbose`"
    " lists them)",
    "累加顺序：{declared:,} 个算子与声明一致（`--verbose` 逐条列出）",
)
ORDERS_UNKNOWN = Message(
    "order of additions: not recovered in every size of {operators} (`--verbose` says why)",
    "累加顺序：{operators} 并非所有规模都能测得（`--verbose` 说明原因）",
)
ORDERS_FOUND = Message(
    "order of additions: found in {free} that {free:declares|declare} none (`--verbose` lists"
    " them)",
    "累加顺序：{free} 个未声明的算子已测得顺序（`--verbose` 逐条列出）",
)
ORDERS_DECLARED_AND_FOUND = Message(
    "order of additions: as declared in {declared:,} {declared:operator|operators}, found in {free}"
    " that {free:declares|declare} none (`--verbose` lists them)",
    "累加顺序：{declared:,} 个算子与声明一致，{free} 个未声明的算子已测得顺序"
    "（`--verbose` 逐条列出）",
)

TORCH_CALLED = Message("{function} -> {called}", "{function} -> {called}")
TORCH_DECLARED = Message(
    "{function} -> {declared} (declared, not observed)",
    "{function} -> {declared}（仅声明，未观测）",
)
TORCH_UNDECLARED = Message(
    "{function} -> {called} (the record of {operator} declares {declared})",
    "{function} -> {called}（{operator} 的记录声明的是 {declared}）",
)
TORCH_MORE = Message(
    "{count:,} more as declared (`--verbose` lists them)",
    "另有 {count:,} 个与声明一致（`--verbose` 逐条列出）",
)

TILING_KEYS = Message(
    "cases by tiling key: {operator}: {counts}", "各 Tiling 键的用例数：{operator}：{counts}"
)
KEYS_REACHED = Message(
    "  {reached} of {all} keys of the kernel", "  Kernel 的 {all} 个键中到达 {reached} 个"
)
KEYS_MISSED = Message(
    "  {reached} of {all} keys of the kernel; no case: {missing}",
    "  Kernel 的 {all} 个键中到达 {reached} 个；无用例：{missing}",
)
KEYS_UNKNOWN = Message(
    "  keys that the kernel does not ask for: {keys}", "  Kernel 未使用的键：{keys}"
)

KERNEL_COVERAGE = Message(
    "kernel coverage: {file}: {lines_run} of {lines} lines, {branches_run} of {branches} branches",
    "Kernel 覆盖率：{file}：{lines} 行的 {lines_run}，{branches} 个分支的 {branches_run}",
)
LINES_NOT_RUN = Message("  lines not run: {numbers}", "  未执行的行：{numbers}")
BRANCHES_NOT_TAKEN = Message(
    "  lines with a branch not taken: {numbers}", "  有分支未走到的行：{numbers}"
)
