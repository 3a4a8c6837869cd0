"""The help of the command line: commands, and what several of them share."""

from conformance.catalogue.message import Message

FRONT_DOOR = Message(
    "The front door for people and CI: runs, what is judged and on what, the gate, merged runs.",
    "面向用户与 CI 的入口：运行判定、判定对象与设备、门禁、合并运行。",
)
STATUSES = Message(
    "People read standard error; with ``--json`` one line of JSON goes to standard output. Exit"
    " status: 0 accepted, 1 a verdict failed or a part of what was asked for was not judged, 2"
    " wrong usage or nothing to do, 3 the device, build or environment failed and nothing was"
    " judged, or a record or the suite failed, 130 interrupted, 141 nobody reads the output any"
    " more.",
    "供人阅读的内容写到标准错误；加 --json 时，标准输出为一行 JSON。退出状态：0 通过，"
    "1 有判定未通过或要求判定的内容未全部判定，2 用法错误或无事可做，3 设备、编译或环境故障而"
    "未作判定，或算子记录或本套件出错，130 已中断，141 输出已无人读取。",
)
LANGUAGE = Message(
    "what people are told, in English or Chinese (MOE_CONFORMANCE_LANG, else en)",
    "供人阅读的语言，英文或中文（MOE_CONFORMANCE_LANG，否则为 en）",
)
OPERATORS_DIRECTORY = Message(
    "a folder with further operator records (repeatable)", "含有其他算子记录的目录（可重复）"
)
JSON = Message("one line of JSON on standard output", "标准输出为一行 JSON")
VERBOSE = Message(
    "list every mode and dtype, every call in quarantine and every order of additions",
    "列出每种模式与数据类型、每个隔离观察的调用和每种累加顺序",
)

OPERATORS = Message("what is judged", "判定哪些算子")
DEVICES = Message("what can be judged on here", "此处可在哪些设备上判定")
PROBE = Message(
    "print what is known of each device's arithmetic, measure its functions, and recover the order"
    " in which its kernels add up a token's row",
    "打印各设备算术特性的已知信息，测量其函数，并还原其 Kernel 对一个 token 的行累加的顺序",
)

NEW = Message(
    "the files of a new operator: record, reference, kernel",
    "新算子的文件：记录、参考实现、kernel",
)
NEW_NAME = Message(
    "its name, such as row_pair_sum or RowPairSum", "名称，如 row_pair_sum 或 RowPairSum"
)
NEW_FROM = Message(
    "what has its parameters: an aclnn header, a document's table, or lines such as"
    " `x input float16 float32 [rows, hidden]`; - is standard input (default: asked for)",
    "参数来源：aclnn 头文件、文档参数表，或形如 `x input float16 float32 [rows, hidden]` 的行；"
    "- 表示标准输入（默认：询问）",
)
NEW_INTO = Message("the folder of operators (default: operators)", "算子文件夹（默认：operators）")
CHECK = Message(
    "whether records are right, and strong enough, without a kernel",
    "检查记录是否正确、是否够强，无需 kernel",
)
CHECKED = Message(
    "which records (default: those of --operators, or all)",
    "检查哪些记录（默认：--operators 给出的，或全部）",
)
DRAWS = Message(
    "cases drawn of each mode, data type and strategy (default: 40)",
    "每种模式、数据类型和生成策略的随机用例数（默认：40）",
)
MUTANTS = Message(
    "whether the calls of a smoke run find each small change of a kernel's own C++",
    "冒烟运行的调用能否发现对 kernel 自身 C++ 的每处小改动",
)
MUTATED = Message(
    "whose kernels (default: those of --operators, or all)",
    "哪些算子的 kernel（默认：--operators 给出的，或全部）",
)
SAMPLE = Message(
    "so many mutants of each kernel, chosen by the seed (default: all)",
    "每个 kernel 的变异体数，由种子选出（默认：全部）",
)
MUTANT_SEED = Message("of the sample and of the draws (0)", "抽样与随机用例的种子（0）")
MUTANT_WORKERS = Message("processes that judge ({workers})", "判定进程数（{workers}）")
DOCTOR = Message("what is missing on this host, and what to do", "本机缺少什么，以及如何处理")
AS_OF_RUN = Message("as of run", "同 run")
BUNDLE = Message(
    "write what others must know of this host, texts only: a .tar.gz or .zip"
    " (docs/how-to/npu-host.md lists what is in it)",
    "写出他人须了解的本机信息，仅含文本：.tar.gz 或 .zip（内容见 docs/how-to/npu-host.md）",
)

GATE = Message("accept or reject a finished run", "通过或拒绝一次已结束的运行")
FINISHED_RUN = Message("the folder of a finished run", "已结束的运行的目录")
GATE_BASELINE = Message(
    "compare with this one (that of the run's device)", "与该基线比较（默认为运行所用设备的基线）"
)
NO_BASELINE = Message("compare with nothing", "不作比较")
GATE_OPERATOR = Message(
    "compare OP alone with the baseline, where the run judged no others (repeatable)",
    "运行只判定了部分算子时，仅将 OP 与基线比较（可重复）",
)
MORE_WORK = Message(
    "reject a call whose counts of work grew by more than P percent ({most})",
    "调用的工作量计数增长超过百分之 P（{most}）时拒绝",
)
TIME_REGRESSION = Message(
    "reject a call, timed on an NPU, that takes longer by more than P percent, noise considered",
    "NPU 上计时的调用在计入噪声后仍变慢超过百分之 P 时拒绝",
)
WAIVERS = Message("failures that somebody answers for (TOML)", "有人负责的失败项（TOML）")
REQUIRE_DEVICE = Message("evidence must be of: {devices}", "证据必须来自：{devices}")
CHANGED = Message(
    "the kernels were changed: reject where the judged library is the baseline's",
    "声明 Kernel 已改动：若判定的库与基线相同则拒绝",
)
ANNOTATIONS = Message("for CI, on standard output: {forms}", "供 CI 使用，写到标准输出：{forms}")
GATE_STATUSES = Message(
    "Exit status: 0 accepted, 1 rejected, 2 wrong usage, 3 cannot judge (docs/how-to/gate.md).",
    "退出状态：0 通过，1 拒绝，2 用法错误，3 无法判定（docs/how-to/gate.md）。",
)
BASELINES = Message("the folder of baselines ({folder})", "基线目录（{folder}）")

BASELINE = Message(
    "what was accepted of a device, by whom and why", "某设备上接受了什么、由谁接受及原因"
)
ACCEPT = Message("accept a run as the baseline", "接受一次运行作为基线")
WHO = Message("who accepts it", "由谁接受")
WHY = Message("for what reason", "接受的原因")
BASELINE_NAME = Message("of the baseline (made of its key)", "基线的名称（默认由其键得出）")
SHOW_BASELINE = Message("what a baseline holds", "基线的内容")
LIST_BASELINES = Message("every baseline, a line each", "列出所有基线，每行一条")

MERGE = Message("put shards of a run together", "合并一次运行的各分片")
WAIT = Message(
    "wait up to so many seconds for shards that are still to come", "最多等待这么多秒，直到分片到齐"
)
SHARDS = Message("the folders of all shards", "所有分片的目录")
MERGED = Message("the folder of the merged run", "合并后运行的目录")

HISTORY = Message("many runs over time", "一段时间内的多次运行")
IMPORT = Message("add finished runs, each once", "添加已结束的运行，每次运行只添加一次")
FINISHED_RUNS = Message("folders of finished runs", "已结束的运行的目录")
TRENDS = Message("how operators came out over time", "各算子的判定结果随时间的变化")
LAST = Message("runs of each ({last})", "每个算子显示的运行次数（{last}）")
PICTURE = Message("draw the trends (.svg, .png)", "绘制趋势图（.svg、.png）")
CHANGES = Message("the first run in which something changed", "首次出现变化的运行")
ONE_OPERATOR = Message("of this operator alone", "仅限该算子")
HISTORY_PAGE = Message(
    "one page of verdicts over time, what fails since when, what is flaky and what is slow",
    "一个页面：判定的变化、何时起未通过、不稳定的单元与最慢的单元",
)
WHERE_PAGE = Message("the page ({path})", "页面文件（{path}）")
DATABASE = Message("the database ({path})", "数据库（{path}）")

CORPUS = Message("freeze cases that every gate judges first", "冻结每次门禁首先判定的用例")
FREEZE = Message("choose and write the next version of the corpus", "选取并写出语料库的下一版本")
FROZEN = Message("what is frozen, and regressions", "已冻结的用例和回归用例")
OP_ALONE = Message("OP alone", "仅限 OP")

REPORT = Message("one HTML page that tells of a run", "以一个 HTML 页面展示一次运行")
FOLDER_OF_RUN = Message("the run's folder", "运行的目录")
LANGUAGE_OF_PAGE = Message("of the page (en)", "页面的语言（en）")
