"""What relations promise, and what is said where one does not hold."""

from conformance.catalogue.message import Message

DIFFERENT = Message(
    "{count} of {size} elements of {name} differ: {element} is {seen}, {meaning} {due}",
    "{name} 的 {size} 个元素中有 {count} 个不同：{element} 为 {seen}，{meaning}为 {due}",
)
DIFFERENT_THERE = Message(
    "{count} of {size} elements of {name} differ: {element} is {seen} {where}, {meaning} {due}",
    "{name} 的 {size} 个元素中有 {count} 个不同：{element} {where}为 {seen}，{meaning}为 {due}",
)
OTHER_SHAPE = Message(
    "{name} has shape {seen}, {meaning} it has {due}", "{name} 的形状为 {seen}，{meaning}为 {due}"
)

WRITTEN = Message(
    "what outputs and workspace held before a call changes no result",
    "调用前输出与 workspace 中的内容不影响任何结果",
)
WRITTEN_SOURCE = Message(
    "an output is what its document's equation makes of the inputs; a workspace is scratch memory",
    "输出由文档公式从输入得出；workspace 只是临时内存",
)
REPEATED = Message(
    "the same call gives the same bytes, on any stream and cores, in any order of blocks, at any"
    " level",
    "同一调用在任意流、任意核数、任意核序、任意确定性级别下得到相同的字节",
)
REPEATED_SOURCE = Message(
    "no kernel of this family adds in an order that its cores decide, unless its contract says so",
    "除非契约另有说明，这类 Kernel 的累加顺序均不由核的执行次序决定",
)
PLACED = Message(
    "the same call gives the same bytes wherever its tensors lie in their storages, and writes"
    " nothing else there",
    "无论张量位于存储的何处，同一调用都得到相同的字节，且不写入存储的其他位置",
)
PLACED_SOURCE = Message(
    "aclCreateTensor: shape, strides and offset say where in its storage an element lies",
    "aclCreateTensor：元素在存储中的位置由形状、步长与偏移给出",
)

ON_POISONED_MEMORY = Message("on poisoned memory", "在内存填毒值时")
ON_ZEROED_MEMORY = Message("on zeroed memory", "在内存清零时")
ON_MEMORY_AS_LEFT = Message("on memory as the calls before left it", "在沿用此前调用遗留的内存时")
ON_ITS_OWN_STREAM = Message("on a stream of its own", "在使用自建流时")
ON_THE_DEFAULT_STREAM = Message("on the default stream", "在使用默认流时")
BESIDE_THE_SAME_CALL = Message(
    "beside the same call on another stream", "在另一条流上同时有同一调用时"
)
IN_THE_FIRST = Message("in the first", "在第一次调用时")
IN_A_SECOND_CALL = Message("in a second call", "在第二次调用时")
IN_BLOCK_ORDER = Message("with blocks in order {order}", "在核序为 {order} 时")
ON_ONE_CORE = Message("on one core", "在单核时")
ON_CORES = Message("on {count} cores", "在 {count} 核时")
AT_LEVEL = Message("{where} at determinism level {level}", "{where}（确定性级别 {level}）")
CONTIGUOUS = Message("with contiguous tensors", "在采用连续张量时")
VIEWS = Message("with these views", "在采用这些视图时")

NO_POSITIONS = Message(
    "no sum or copy of this family looks at positions", "这类算子的求和与复制均不依赖位置"
)
REORDERED = Message(
    "another order along {axis} gives the same in that order",
    "沿 {axis} 改变顺序，结果只随之改变顺序",
)
BY_THE_FIRST_ORDER = Message(
    "by the call with the first order along {axis}", "按原 {axis} 顺序的调用应"
)
NEGATED = Message(
    "the other sign of {inputs} is that of {outputs}", "{inputs} 变号则 {outputs} 变号"
)
AND = Message(" and ", " 与 ")
BY_THE_FIRST_SIGN = Message("by the call with the first sign", "按原符号的调用应")
