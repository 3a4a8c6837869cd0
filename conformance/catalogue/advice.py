"""Advice on what kernels and calls do, by the codes of the diagnostics that give it.

The simulated machine gives its advice in English (device_kernels, `diagnostics.cpp`): `advised`
knows it by its exact words.
"""

from conformance.catalogue.message import Message

UB_CAPACITY = Message(
    "Choose a smaller tile, or fewer buffers, for this machine's UB.",
    "请减小分块或减少缓冲区数量，以适配本机的 UB。",
)
UB_BUDGET = Message(
    "Stay inside the UB bytes that the platform reports to the tiling.",
    "请勿超出平台向 Tiling 报告的 UB 字节数。",
)
UB_OVERLAP = Message(
    "Call Destroy() on the first TPipe before the next one allocates.",
    "在下一个 TPipe 申请内存之前，先对前一个 TPipe 调用 Destroy()。",
)
UB_OUT_OF_BOUNDS = Message(
    "Compare the count and offset with the length in InitBuffer.",
    "请将 count 与偏移同 InitBuffer 申请的长度进行核对。",
)
BUFFER_LIMIT = Message(
    "Use fewer buffers: one TPipe manages at most 64.", "请减少缓冲区：一个 TPipe 最多管理 64 块。"
)
PIPE_STATE = Message(
    "Keep the TPipe alive, and undestroyed, while its buffers are used.",
    "使用其缓冲区期间，TPipe 须保持有效且未被 Destroy。",
)
GM_OUT_OF_BOUNDS = Message(
    "Check the offset and length of the last tile and last core.", "请检查尾块与尾核的偏移和长度。"
)
GM_READ_ONLY = Message(
    "Write results to an output or the workspace, never to an input.",
    "结果只能写入输出或 workspace，不可写入输入。",
)
COPY_ALIGNMENT = Message(
    "Start UB addresses at 32 bytes and GM addresses at an element.",
    "UB 地址须 32 字节对齐，GM 地址须按元素对齐。",
)
COPY_ROUNDED = Message(
    "Use DataCopyPad for lengths that are no multiple of 32 bytes.",
    "长度不是 32 字节整数倍时请使用 DataCopyPad。",
)
COPY_EMPTY = Message(
    "Leave the call out where there is nothing to copy.", "没有数据可搬运时请不要调用。"
)
FIELD_TRUNCATED = Message(
    "Use DataCopyExtParams, whose length has 32 bits, or shorter blocks.",
    "请使用 DataCopyExtParams（长度为 32 位），或缩短数据块。",
)
OPERAND_ALIGNMENT = Message(
    "Start every vector operand at a multiple of 32 bytes in UB.",
    "矢量操作数在 UB 中的起始地址须为 32 字节的整数倍。",
)
OPERAND_OVERLAP = Message(
    "Let operands coincide or be disjoint; widen in place only from the upper half.",
    "操作数须完全重合或互不重叠；原地升精度只能从高半部分开始。",
)
MERGE_ALIGNMENT = Message(
    "Start lists at multiples of 32 bytes: pages of the interface differ on 8 and 32.",
    "队列起始地址请按 32 字节对齐：接口文档对 8 字节与 32 字节说法不一。",
)
ARGUMENT_RANGE = Message(
    "Keep the argument inside its documented range.", "参数须在文档规定的范围内。"
)
REPEAT_LIMIT = Message(
    "Split the call: one instruction repeats at most 255 times.",
    "请拆分调用：单条指令最多重复 255 次。",
)
CAST_MODE = Message(
    "Use a RoundMode that Cast documents for this pair of dtypes.",
    "请使用 Cast 文档中该组数据类型支持的 RoundMode。",
)
ASSERTION = Message(
    "Find out how the kernel's own condition came to be false.",
    "请查明 Kernel 自身的断言条件为何不成立。",
)
INDEX_UNREAD = Message(
    "Let such a slot name a row beyond the last: another kernel may read row -1 first.",
    "请让这样的槽位指向最后一行之后的行：其他 kernel 可能会先读取第 -1 行。",
)
NOT_MODELLED = Message(
    "Judge this kernel on a device: the model knows no such call.",
    "请在真实设备上判定该 Kernel：模型不支持此接口。",
)
QUEUE_EMPTY = Message("EnQue a tensor before DeQue asks for it.", "须先 EnQue，再 DeQue。")
QUEUE_FULL = Message(
    "Free or dequeue a tensor first, or give the queue more buffers.",
    "请先释放或取出一个 Tensor，或为队列分配更多缓冲区。",
)
QUEUE_STATE = Message(
    "Follow AllocTensor, EnQue, DeQue, FreeTensor, each once, on one queue.",
    "在同一队列上须依次调用 AllocTensor、EnQue、DeQue、FreeTensor，各一次。",
)
ATOMIC_LEFT_SET = Message(
    "Call SetAtomicNone after the copies: it changes later kernels.",
    "搬运之后请调用 SetAtomicNone，否则会影响后续 Kernel。",
)
SYNC_DEADLOCK = Message(
    "Let every block of the launch call SyncAll equally often.", "所有核调用 SyncAll 的次数须一致。"
)
SYNC_SETUP = Message(
    "Launch at most as many blocks as there are cores, zero the workspace, declare the kernel"
    " type.",
    "核数不可超过物理核数，workspace 须清零，并须声明 Kernel 类型。",
)
EVENT_EXHAUSTED = Message(
    "Release event ids: a HardEvent has 8.", "请释放事件 ID：每种 HardEvent 只有 8 个。"
)
EVENT_FIXED = Message(
    "Ask the TPipe for the id, by FetchEventID or AllocEventID: a queue may have a fixed one.",
    "请通过 FetchEventID 或 AllocEventID 向 TPipe 获取 ID：固定的 ID 可能已被队列占用。",
)
FLAG_SET_TWICE = Message(
    "Wait for a flag before setting it again; reserve its id with AllocEventID.",
    "再次设置标志前须先等待；请用 AllocEventID 申请其 ID。",
)
FLAG_WITHOUT_SET = Message(
    "Set the flag earlier in the same block: this wait never ends.",
    "请在同一核内先设置该标志，否则此等待永不结束。",
)
FLAG_LEFT_SET = Message(
    "Wait for every flag that was set: it poisons the next kernel.",
    "每个已设置的标志都须等待，否则会影响下一个 Kernel。",
)
SYNC_MISSING = Message(
    "Order the two pipes: hand the tensor over by a queue that joins them, or by SetFlag and"
    " WaitFlag.",
    "请为两条流水定序：通过连接二者的队列传递 Tensor，或使用 SetFlag 与 WaitFlag。",
)
SYNC_SCALAR = Message(
    "Order the scalar unit and the pipe by SetFlag and WaitFlag from the first to the second"
    " of them, as V_S, MTE2_S or S_MTE3: no queue does.",
    "请用由前者到后者的 SetFlag 与 WaitFlag（如 V_S、MTE2_S、S_MTE3）为标量单元与流水定序："
    "队列不提供此同步。",
)
BARRIER_MISSING = Message(
    "Put a PipeBarrier of this pipe between the two instructions: they may overlap.",
    "请在两条指令之间加入该流水的 PipeBarrier：二者可能重叠执行。",
)
EARLY_ACCESS = Message(
    "Order the two instructions by a flag, a queue or a barrier: a device may run them so, too.",
    "请用标志、队列或 Barrier 为两条指令定序：真实设备也可能如此执行。",
)
RACE = Message(
    "Let each block write its own bytes, or put SyncAll between the accesses.",
    "各核应只写各自的字节，或在两次访问之间加入 SyncAll。",
)
CACHE_UNFLUSHED = Message(
    "Call DataCacheCleanAndInvalid after SetValue, before SyncAll or a flag tells others of it.",
    "SetValue 之后、SyncAll 或标志通知其他单元之前，请调用 DataCacheCleanAndInvalid。",
)
CACHE_STALE = Message(
    "Call DataCacheCleanAndInvalid before reading what a copy or another block has written.",
    "读取由搬运或其他核写入的数据之前，请调用 DataCacheCleanAndInvalid。",
)
CACHE_LINE_SHARED = Message(
    "Give each block's scalars cache lines of their own, 64 bytes from a multiple of 64 on.",
    "各核的标量须独占缓存行：自 64 的整数倍起共 64 字节。",
)
CACHE_LEFT_DIRTY = Message(
    "Call DataCacheCleanAndInvalid after the last SetValue.",
    "最后一次 SetValue 之后请调用 DataCacheCleanAndInvalid。",
)
UNINITIALISED_STORE = Message(
    "Store only what was copied or computed: mind the padding of copies and fresh buffers.",
    "只可写出已搬入或已计算的数据：注意搬运的填充部分与未初始化的缓冲区。",
)
UNINITIALISED_READ = Message(
    "Read only what was copied or computed: mind the padding of copies and fresh buffers.",
    "只可读取已搬入或已计算的数据：注意搬运的填充部分与未初始化的缓冲区。",
)
MEMORY_FAULT = Message(
    "Check the index behind the pointer: nothing checks raw pointers.",
    "请检查指针所用的下标：裸指针不受检查。",
)
KERNEL_CRASH = Message(
    "Nothing may leave a kernel: no exception, no division by zero, no endless recursion.",
    "Kernel 不可异常退出：不得抛出异常、除以零或无限递归。",
)
KERNEL_ENDLESS = Message(
    "Look for the loop after this call whose condition never ends it.",
    "请查找此调用之后条件永不满足的循环。",
)
MEMORY_EXHAUSTED = Message(
    "Look for what the kernel goes on allocating after this call.",
    "请查找此调用之后 Kernel 持续申请的内存。",
)
WORKSPACE_UNWRITTEN = Message(
    "Write a workspace before it is read, or zero it: nothing else does.",
    "读取工作区之前须先写入或清零：没有别的东西会初始化它。",
)

NO_LAUNCH = Message(
    "Compute on the device: launch a kernel, or fill and copy there.",
    "请在设备上计算：启动 Kernel，或在设备上填充与拷贝。",
)
WRITTEN_EARLY = Message(
    "Let phase one plan alone: the outputs are the caller's until phase two.",
    "第一阶段只应规划：第二阶段之前，输出属于调用者。",
)
MEMORY_LEFT = Message(
    "Free in phase two what the call allocates, or keep it for later calls.",
    "调用申请的内存请在第二阶段释放，或留给后续调用使用。",
)
TASK_LEFT = Message(
    "Submit all work to the stream that is given, or order it there by an event.",
    "请将全部任务提交到传入的流，或用事件使该流等待。",
)
STATUS_DROPPED = Message(
    "Answer the status of every function of the runtime that fails.",
    "运行时函数失败时，请返回其状态码。",
)

_BY_ENGLISH = {one.words["en"]: one for one in list(globals().values()) if isinstance(one, Message)}


def advised(english: str) -> str:
    """Advice in the languages of the catalogue; what it does not know stays as it is."""
    known = _BY_ENGLISH.get(english)
    return english if known is None else known()
