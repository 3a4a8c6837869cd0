"""The help of ``run`` and ``replay``."""

from conformance.catalogue.message import Message

RUN = Message("judge operators on a device", "在设备上判定算子")
JUDGE = Message("Judge operators on a device.", "在设备上判定算子。")
ALL = Message(
    "  run                                        all operators, three minutes",
    "  run                                        所有算子，约三分钟",
)
ONE = Message(
    "  run moe_token_permute --profile gate       one operator, thoroughly",
    "  run moe_token_permute --profile gate       一个算子，充分判定",
)
BY_WORD = Message(
    '  run moe_token_permute -k "ladders"         what has this word in its name',
    '  run moe_token_permute -k "ladders"         名称中含有该词的测试项',
)
OF_A_MODEL = Message(
    "  run --workload kimi_k2                     the calls of a model",
    "  run --workload kimi_k2                     一个模型的调用",
)
TO_PYTEST = Message("Arguments after -- go to pytest.", "-- 之后的参数传给 pytest。")

WHAT = Message("what is judged", "判定什么")
ON_WHAT = Message("on what", "在什么上判定")
HOW_MUCH = Message("how much, and how long", "判定多少、多久")
TOLD = Message("what is told", "输出什么")

NAMES = Message(
    "judge these operators; without one all are judged, or all of --operators",
    "判定这些算子；不指定时判定全部，或 --operators 中的全部",
)
OPERATOR = Message("judge OP, too (repeatable)", "同时判定 OP（可重复）")
WORDS = Message(
    "judge what has these words in its name, as pytest's -k",
    "判定名称中含有这些词的测试项，同 pytest 的 -k",
)
CASE = Message(
    "judge just the case of a failures/<id>/case.json, or all saved cases of a folder",
    "仅判定 failures/<id>/case.json 中的用例，或某目录中所有已保存的用例",
)
WORKLOAD = Message(
    "judge the calls of this model alone, in all its steps and routings: a name of cases/workloads,"
    " or a TOML file (docs/how-to/workloads.md; repeatable)",
    "仅判定该模型的调用，包括其所有步骤与路由：cases/workloads 中的名称，或 TOML 文件"
    "（docs/how-to/workloads.md；可重复）",
)
ORACLE = Message(
    "by what results are judged: the reference, relations among them, or both ({oracles};"
    " {default})",
    "以什么判定结果：参考实现、结果之间的关系，或两者（{oracles}；{default}）",
)
STANDARD = Message(
    "summed outputs must pass this published standard too, on data as it prescribes them"
    " (docs/reference/standards.md)",
    "求和的输出还须通过该公开标准，并使用其规定的数据（docs/reference/standards.md）",
)

DEVICES = Message(
    "auto, sim[:SOC], npu[:N,...]; of a Python function cpu, cuda:N, npu:N, sim[:SOC]",
    "auto、sim[:SOC]、npu[:N,...]；判定 Python 函数时为 cpu、cuda:N、npu:N、sim[:SOC]",
)
CANN = Message(
    "the version of CANN of a simulated NPU, such as 9.1: calls that it may not carry out are left"
    " out, as on an NPU",
    "模拟 NPU 的 CANN 版本，如 9.1：与 NPU 一样，不作该版本未必支持的调用",
)
ROUTE = Message(
    "how kernels are called: {routes} ({default})", "Kernel 的调用路径：{routes}（{default}）"
)
LIBRARIES = Message(
    "judge the libascendcl.so and libopapi.so in DIR instead of the device's own",
    "判定 DIR 中的 libascendcl.so 与 libopapi.so，而非设备自带的库",
)
IMPLEMENTATION = Message(
    "judge a Python function instead of kernels: FILE.py:NAME or MODULE:NAME, for several operators"
    " OPERATOR=FILE.py:NAME (repeatable)",
    "判定 Python 函数而非 Kernel：FILE.py:NAME 或 MODULE:NAME；多个算子时写"
    " OPERATOR=FILE.py:NAME（可重复）",
)
TENSORS = Message(
    "what a Python function is given and returns: torch (default) or numpy",
    "Python 函数接收并返回的张量：torch（默认）或 numpy",
)
LENIENT = Message(
    "with --implementation: count the calls that the function must reject and carries out, instead"
    " of failing them",
    "与 --implementation 同用：函数执行了应拒绝的调用时只计数，不判失败",
)
AGAINST = Message(
    "judge a second implementation beside it, and tell which is wrong or how they differ: a route,"
    " a device, a folder of libraries, FILE.py:NAME",
    "同时判定第二个实现，并指出哪一个有误、或两者有何不同：调用路径、设备、库目录、FILE.py:NAME",
)
AGAINST_PYTHON = Message(
    "the second implementation runs in this Python, with its packages; without --against it is the"
    " first one there",
    "第二个实现在该 Python 及其软件包中运行；不带 --against 时即为其中的第一个实现",
)
SAME = Message(
    "with --against: both must give the same bits", "与 --against 同用：两者结果须逐位相同"
)
PACKAGE = Message(
    "judge the custom-operator package in DIR, and nothing else in its place: aclnn library, tiling"
    " library and kernel binaries (docs/how-to/packages.md)",
    "判定 DIR 中的自定义算子包，且不以其他实现代替：aclnn 库、Tiling 库与 Kernel 二进制"
    "（docs/how-to/packages.md）",
)
KERNELS = Message(
    "judge the operators of a checkout in the layout of ops-transformer, its kernels and host"
    " tilings as they are (simulator; docs/how-to/foreign-kernels.md)",
    "判定按 ops-transformer 布局的代码仓中的算子，其 Kernel 与 host Tiling 保持原样（模拟器；"
    "docs/how-to/foreign-kernels.md）",
)
OWN_KERNELS_OF_CASE = Message(
    "with --case: judge the suite's own kernels, though the case failed on something else",
    "与 --case 同用：判定本套件自带的 Kernel，即使用例当时在其他实现上失败",
)

PROFILE = Message("{purposes} ({default})", "{purposes}（{default}）")
PURPOSE = Message("{profile}: {purpose}", "{profile}：{purpose}")
SEED = Message(
    "seed of all draws (0; nightly: a new one each run)",
    "所有抽样的种子（0；nightly：每次运行取新种子）",
)
BUDGET = Message(
    "begin nothing new after TIME, such as 90s, 10m or 2h",
    "TIME 之后不再开始新内容，例如 90s、10m 或 2h",
)
SHARD = Message(
    "judge the I-th of N parts; documented examples are in each; auto, auto/N: as a CI system or"
    " cluster says",
    "判定 N 个分片中的第 I 个；文档示例在每个分片中都有；auto、auto/N：由 CI 系统或集群决定",
)
TIMES = Message(
    "share the items out by their seconds in an earlier run: its folder, or its junit.xml",
    "按此前运行中各项的用时分配分片：该运行的文件夹或其 junit.xml",
)
TIMING = Message(
    "on an NPU, time fixed calls by events, N repetitions each",
    "在 NPU 上以事件为固定调用计时，每次重复 N 遍",
)
SPLIT = Message(
    "split each item that draws cases into N parts, which shards share out",
    "将抽取用例的每一项拆成 N 份，由各分片分担",
)
RESUME = Message("go on with the run in --out that did not end", "继续 --out 中尚未结束的运行")
WATCH = Message(
    "judge again on each save of a source, what was refused last first, up to the first failure",
    "每次保存源文件后重新判定：先判定上次未通过的用例，至首个失败为止",
)
TIME_LIMIT = Message(
    "of one call on the device, more of one with many keys or bytes ({limits})",
    "设备上一次调用的时限，键或字节很多的调用相应延长（{limits}）",
)
PROCESSES = Message(
    "pytest processes ({workers}; with --ray as many as there is room)",
    "pytest 进程数（{workers}；与 --ray 同用时用满集群）",
)

RAY = Message(
    "judge on workers of a Ray cluster: HOST:PORT, auto, or nothing for this host"
    " (docs/how-to/ray.md)",
    "由 Ray 集群的进程判定：HOST:PORT、auto，不写则为本机（docs/how-to/ray.md）",
)

OUT = Message("the run's folder", "运行的目录")
HISTORY = Message(
    "add the run to this history when it ends (history import; docs/how-to/gate.md)",
    "运行结束后写入该历史库（history import；docs/how-to/gate.md）",
)
KERNEL_COVERAGE = Message(
    "tell which lines and branches of the kernels the run reached (simulator, gcov)",
    "给出运行覆盖了 Kernel 的哪些行与分支（模拟器，gcov）",
)
STANDARDS = Message("tell what every published standard says", "给出每个公开标准的结论")

REPLAY = Message(
    "check a failure's bundle and judge its call again", "检查失败项的复现包，并再次判定其调用"
)
FOLDER_OF_FAILURE = Message(
    "the folder of a failure: failures/ID of a run", "失败项的目录：运行目录下的 failures/ID"
)
BLOCK_ORDER = Message(
    "of a launch's blocks: forward, reverse, shuffled:SEED",
    "一次启动中各核的执行顺序：forward、reverse、shuffled:SEED",
)
PIPES = Message(
    "when instructions of a core take effect: program, late, random:SEED",
    "核内指令的生效时机：program、late、random:SEED",
)
ROUTE_AS_IT_WAS = Message(
    "how the kernel is called: {routes} (as it was)", "Kernel 的调用路径：{routes}（默认同当时）"
)
TIME_LIMIT_AS_IT_WAS = Message("of the call (as it was)", "该调用的时限（默认同当时）")
LIBRARIES_IN = Message(
    "judge the libascendcl.so and libopapi.so in DIR", "判定 DIR 中的 libascendcl.so 与 libopapi.so"
)
PACKAGE_IN = Message("judge the custom-operator package in DIR", "判定 DIR 中的自定义算子包")
CHECKOUT = Message("judge the operator of a checkout (simulator)", "判定代码仓中的该算子（模拟器）")
OWN_KERNELS = Message(
    "judge the suite's own kernels, though the case failed on something else",
    "判定本套件自带的 Kernel，即使用例当时在其他实现上失败",
)
STANDARD_TOO = Message(
    "summed outputs must pass this published standard too", "求和的输出还须通过该公开标准"
)
PROMOTE = Message(
    "make it a regression, which every run judges first: a file to commit",
    "将其作为回归用例，每次运行首先判定：一个供提交的文件",
)
NAME = Message(
    "of the regression (mode, dtype and digest)", "回归用例名（默认为模式、数据类型与摘要）"
)
WHY = Message(
    "what it is kept for (the headline of its verdict)", "保留的原因（默认为其判定的标题）"
)
LINK = Message("where the mistake is reported in public", "该错误的公开报告地址")
