"""Devices: what they are, why one does not open, and what becomes of its process."""

from conformance.catalogue.message import Message

# What a device is.
SIMULATED = Message("simulated {soc}", "模拟 {soc}")
DESCRIBED = Message("{name}, {cores} vector cores", "{name}，{cores} 个矢量核")
WITH_CANN = Message("{described}, CANN {cann}", "{described}，CANN {cann}")
ROUND_HALF_TO_EVEN = Message("round half to even", "就近舍入，中点取偶")
SUBNORMALS_KEPT = Message("subnormals are kept", "保留次正规数")
INFINITY = Message("infinity", "无穷")
SAME_BITS = Message("the same bits each time", "每次比特相同")
UNKNOWN = Message("unknown", "未知")
LOOSENED = Message("checked less than by itself: {settings}", "检查比模拟器自身宽松：{settings}")

# How one is chosen.
NO_SUCH_DEVICE = Message(
    "device '{spec}' is none of auto, sim, sim:SOC, sim@CANN, npu, npu:N, npu:N,M",
    "设备 '{spec}' 不是 auto、sim、sim:SOC、sim@CANN、npu、npu:N、npu:N,M 之一",
)
NO_VERSION = Message(
    "device '{spec}': '{version}' is no version of CANN, such as 9.1, of a simulated NPU",
    "设备 '{spec}'：'{version}' 不是模拟 NPU 的 CANN 版本（如 9.1）",
)
NO_NUMBER = Message(
    "device '{spec}': '{which}' is no device number, nor several with commas",
    "设备 '{spec}'：'{which}' 不是设备号，也不是以逗号分隔的多个设备号",
)
OF_DEVICE = Message("device '{spec}': {why}", "设备 '{spec}'：{why}")
DOES_NOT_OPEN = Message("device '{spec}' does not open: {why}", "设备 '{spec}' 无法打开：{why}")
NO_NPU_OPENS = Message(
    "this host has {signs}, but no NPU opens: {why}. Nothing is simulated unless asked for:"
    " --device sim",
    "本机有 {signs}，但没有 NPU 能打开：{why}。除非以 --device sim 要求，否则不作模拟",
)
AND = Message(" and ", "、")
NO_KERNEL = Message(
    "no kernel: {names}: there is no folder of that name in {places}",
    "没有 Kernel：{names}：{places} 中没有该名称的目录",
)
SIMULATOR_NOT_BUILT = Message(
    "kernels or simulator do not build: {error}", "Kernel 或模拟器无法编译：{error}"
)
SHIMS_NOT_BUILT = Message(
    "the shims of torch_npu do not build: {error}", "torch_npu 的垫片库无法编译：{error}"
)
CHECKOUT_NOT_BUILT = Message(
    "the checkout cannot be judged: {error}", "该检出目录无法判定：{error}"
)
NOT_BUILT = Message("it does not build: {error}", "无法编译：{error}")
PASSED_OVER = Message("{path} ({source}) is passed over: {why}", "{path}（{source}）被略过：{why}")
LACKS = Message("{folder} has no {file}", "{folder} 缺少 {file}")
OF_FILE = Message("{file}: {error}", "{file}：{error}")

# Its process.
NOT_STARTED = Message("the device process does not start: {error}", "设备进程无法启动：{error}")
NOT_ENDED = Message(
    "the device process {pid} does not end when killed: its driver holds it",
    "设备进程 {pid} 被终止后仍未结束：驱动占用了它",
)
TOOK_MEMORY = Message(
    "the process took more than {mebibytes} MiB beyond its use at start",
    "进程占用的内存比启动时多出 {mebibytes} MiB 以上",
)
NO_ANSWER = Message("no answer within {seconds:.3g} s", "{seconds:.3g} 秒内没有应答")
ALLOCATION_FAILED = Message("an allocation failed in the process", "进程中一次内存分配失败")
ENDED_BY_ITSELF = Message(
    "the process ended by itself with exit status {status}", "进程自行结束，退出状态 {status}"
)
ENDED_BY_SIGNAL = Message("the process was ended by {signal}", "进程被 {signal} 终止")
ENDED_FOR_MEMORY = Message(
    "the process was ended by {signal}, perhaps by the system for want of memory",
    "进程被 {signal} 终止，可能由系统因内存不足所为",
)
PROCESS_FAILED = Message("the device process failed: {error}", "设备进程出错：{error}")
UNEXPECTED = Message("unexpected reply {reply}", "意外的应答 {reply}")
NOT_OPEN_AGAIN = Message("the device does not open again: {why}", "设备无法重新打开：{why}")
NO_DIAGNOSTICS = Message(
    "ascendsimTakeDiagnostics answered no array of diagnostics ({error}): {text}",
    "ascendsimTakeDiagnostics 返回的不是诊断数组（{error}）：{text}",
)
NOT_AVAILABLE = Message(
    "{operator} is not available on route {route}: {symbol} is in none of {libraries}",
    "调用路径 {route} 上没有 {operator}：{libraries} 中均无 {symbol}",
)
NO_PHASES = Message(
    "route {route} has no phase two to be timed", "调用路径 {route} 没有可计时的第二阶段"
)
NOT_EXPORTED = Message("the operator library exports no {symbol}", "算子库未导出 {symbol}")
OF_SYMBOL = Message("{symbol}: {why}", "{symbol}：{why}")
NO_SIMULATOR = Message(
    "libascendcl.so is not the simulator: it lacks ascendsimConfigure",
    "libascendcl.so 不是模拟器：缺少 ascendsimConfigure",
)
NO_SUCH_SOC = Message(
    "the simulator does not know SoC '{soc}': {error}", "模拟器不支持 SoC '{soc}'：{error}"
)
NO_SUCH_NUMBER = Message(
    "device {number} does not exist: the runtime sees {count}",
    "设备 {number} 不存在：运行时可见 {count} 个",
)
NOT_LOADED = Message(
    "{path} does not load and is left out: {error}", "{path} 无法加载，已略去：{error}"
)

# Its calls.
ANSWERED = Message("{function} answered {status}", "{function} 返回 {status}")
ANSWERED_WITH = Message("{function} answered {status}: {text}", "{function} 返回 {status}：{text}")
LAUNCH_DROPPED = Message(
    "{what} failed, and the call answered 0: {text}", "{what} 失败，而调用返回 0：{text}"
)
LAUNCH_DROPPED_BY_TORCH = Message(
    "{what} failed, and torch_npu raised nothing: {text}",
    "{what} 失败，而 torch_npu 未报错：{text}",
)
NO_WORKSPACE = Message("phase one asks for no workspace", "第一阶段不需要 workspace")
NO_DESTROY = Message(
    "the library has no aclDestroyAclOpExecutor", "库中没有 aclDestroyAclOpExecutor"
)
NO_ROOM = Message(
    "{tensor} spans {gibibytes:.1f} GiB of device memory; {error}",
    "{tensor} 占设备内存 {gibibytes:.1f} GiB；{error}",
)
UPLOAD = Message("the upload of {name}", "{name} 的上传")
ALLOCATION = Message("the allocation of {name} bytes of workspace", "{name} 字节 workspace 的分配")
READING_BACK = Message("the reading back", "读回")
UPLOAD_BY_TORCH = Message("the upload through torch_npu", "经 torch_npu 的上传")
READING_BACK_BY_TORCH = Message("the reading back through torch_npu", "经 torch_npu 的读回")
BESIDE = Message(
    "the same call, beside this on another stream: {text}",
    "同一调用在另一条流上并行提交时：{text}",
)
AGAIN = Message(
    "in a second call, which found other bytes in its outputs: {text}",
    "第二次调用（输出中预置了其他字节）：{text}",
)
NOTHING = Message("nothing", "无")
OTHER_RESULT = Message(
    "{tensor} is {seen}; it must be {shape} {dtype}", "{tensor} 为 {seen}，应为 {shape} {dtype}"
)
PROBES_NOT_SET = Message(
    "{variable} is not set (docs/how-to/npu-host.md, section 5)",
    "未设置 {variable}（docs/how-to/npu-host.md，第 5 节）",
)
PROBES_NOT_OPEN = Message(
    "{variable}={folder}: {file} does not open: {why}",
    "{variable}={folder}：{file} 无法打开：{why}",
)
NO_PROBES = Message(
    "{variable}={folder}: it has no {file}; build it with CANN (docs/how-to/npu-host.md, section"
    " 5), or unset the variable",
    "{variable}={folder}：其中没有 {file}；请用 CANN 编译（docs/how-to/npu-host.md，第 5 节），"
    "或取消该变量",
)
