"""Packages of custom operators: what one lacks, and what ran in its place."""

from conformance.catalogue.message import Message

PACKAGE = Message("package: {root}", "算子包：{root}")
PART = Message("  {name} (sha256 {sha256})", "  {name}（sha256 {sha256}）")
NOT_RUN = Message(
    "  simulated: what runs is what the aclnn library has in it; tiling library and kernel binaries"
    " are found and hashed, not run",
    "  模拟：执行的是 aclnn 库中的内容；Tiling 库与 Kernel 二进制仅定位并计算哈希，不执行",
)

LACKS = Message(
    "the package lacks {part}: {where}. CANN would take that of another package or its own"
    " (operator development guide, operator packages), and this one would not be judged: build the"
    " package again with it{soc}",
    "算子包缺少 {part}：{where}。CANN 会改用其他包或自带的（算子开发指南，算子包），"
    "该包便未被判定：请连同它重新编译算子包{soc}",
)
FOR_SOC = Message(" (ASCEND_COMPUTE_UNIT with {soc})", "（ASCEND_COMPUTE_UNIT 含 {soc}）")
ACLNN_LIBRARY = Message("the aclnn library", "aclnn 库")
TILING_LIBRARY = Message("the tiling library", "Tiling 库")
KERNEL = Message("the kernel of {operator} for {soc}", "{operator} 的 {soc} Kernel")
NOT_THERE = Message("{folder} is not there (SoCs: {others})", "没有 {folder}（现有 SoC：{others}）")
NO_FILE = Message("{path} is no file", "{path} 不是文件")
NO_FILE_INNER = Message(
    "{path} is no file; name its folder: {inner}", "{path} 不是文件；请指定其目录：{inner}"
)
LISTED_NO_FILE = Message(
    "{config} lists '{name}', {path} is no file", "{config} 列有 '{name}'，而 {path} 不是文件"
)
LISTS_NONE = Message("{config} lists no binary of {operator}", "{config} 未列 {operator} 的二进制")
UNREADABLE = Message("{config} cannot be read ({why})", "无法读取 {config}（{why}）")
NO_LIST = Message("{config} is no list of binaries ({error})", "{config} 不是二进制清单（{error}）")
NO_TILING = Message(
    "no {file} for {machine} below {folder}", "{folder} 之下没有 {machine} 的 {file}"
)
NO_TILING_BUT = Message(
    "no {file} for {machine} below {folder} (there: {others})",
    "{folder} 之下没有 {machine} 的 {file}（现有：{others}）",
)
OF_ANOTHER_USER = Message(
    "package {root}: {library} is of user {owner}, this process of user {user}: torch_npu passes"
    " such a library over with one warning and calls the built-in operator in its place"
    " (specification of op-plugin); chown -R {user} {root}, or judge as user {owner}",
    "算子包 {root}：{library} 属于用户 {owner}，而本进程属于用户 {user}：torch_npu"
    " 会以一条警告略过这样的库，改调内置算子（op-plugin 规格）；请执行 chown -R {user} {root}，"
    "或以用户 {owner} 判定",
)
UNKNOWN_SOC = Message(
    "SoC '{soc}': no folder of kernels is known (CANN, platform_config)",
    "SoC '{soc}'：没有已知的 Kernel 目录（CANN，platform_config）",
)
LEADS_OUT = Message(
    "package {root}: {part} is not of the package: {path} leads to {real}; put the file itself"
    " there, and judge the package as it is delivered",
    "算子包 {root}：{part} 不属于该包：{path} 指向 {real}；请放入文件本身，并按交付的样子判定该包",
)
OWNED_BY = Message("it is of user {owner}, not of {user}", "它属于用户 {owner}，而非 {user}")
SPLIT_LIBRARIES = Message("CANN's split libraries", "CANN 的拆分库")
CANN_OPERATORS = Message("CANN's operators", "CANN 的算子")
PRIORITY = Message("load_priority of {config}", "{config} 的 load_priority")
LOOKED_UP = Message("{place}. {path} ({source})", "{place}. {path}（{source}）")
LOOKED_UP_SKIPPED = Message(
    "{place}. {path} ({source}); passed over: {why}", "{place}. {path}（{source}）；被略过：{why}"
)

# What ran in its place.
NOT_OF_IT = Message(
    "package {root}: {why}; {advice} (docs/how-to/packages.md)",
    "算子包 {root}：{why}；{advice}（docs/how-to/packages.md）",
)
NO_SYMBOL = Message("{symbol} is not in {library}", "{library} 中没有 {symbol}")
ELSEWHERE = Message(
    "{symbol} is not in {library}: it resolves in {found}",
    "{library} 中没有 {symbol}：它解析到 {found}",
)
NO_LIBRARY = Message("no library", "没有任何库")
EXPORT_BOTH = Message(
    "export both functions of the operator from the package", "请在该包中导出算子的两个函数"
)
OTHER_TILING = Message(
    "{library} was not loaded for {symbol}: CANN's own tiling ran",
    "调用 {symbol} 时未加载 {library}：执行的是 CANN 自带的 Tiling",
)
REGISTER_TILING = Message(
    "register the operator's tiling in the package", "请在该包中注册算子的 Tiling"
)
STRANGERS = Message(
    "{libraries} is loaded, too, and is not of it", "还加载了不属于该包的 {libraries}"
)
TAKE_AWAY = Message("take that package away, or judge it", "请移除那个包，或判定那个包")
