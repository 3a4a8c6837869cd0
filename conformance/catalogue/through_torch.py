"""Judging through torch_npu, and simulating an NPU for a program: what does not go together."""

from conformance.catalogue.message import Message

ROUTE = Message("judging through torch_npu", "经 torch_npu 判定")
TESTED = Message("judging with what torch_npu was tested with", "以 torch_npu 测试时所用的版本判定")
NO_METADATA = Message(
    "torch_npu has no metadata (torch_npu-VERSION.dist-info): python -m pip install"
    " --force-reinstall --no-deps torch_npu==VERSION",
    "torch_npu 没有元数据（torch_npu-VERSION.dist-info）：python -m pip install"
    " --force-reinstall --no-deps torch_npu==VERSION",
)
METADATA = Message("metadata of torch_npu", "torch_npu 的元数据")
NUMPY = Message("numpy of torch_npu", "torch_npu 的 numpy")
NOT_INSTALLED = Message("not installed", "未安装")
TAKE_TORCH = Message(
    "torch is {here}: python -m pip install 'torch=={series}.*'",
    "torch 为 {here}：python -m pip install 'torch=={series}.*'",
)
TAKE_PYTHON = Message(
    "torch_npu's guide names Python {known}, here is {here}: take one of these",
    "torch_npu 的安装指南支持 Python {known}，此处为 {here}：请使用其中之一",
)
TAKE_NUMPY = Message(
    "numpy is {here}: python -m pip install 'numpy=={pinned}.*'",
    "numpy 为 {here}：python -m pip install 'numpy=={pinned}.*'",
)
WITH_PYTHON = Message("{numpy} with Python {python}", "{numpy}，Python {python}")

ON_ROUTE = Message("route torch_npu: {error}", "调用路径 torch_npu：{error}")
NO_VERSION = Message(
    "{folder} does not tell its version",
    "{folder} 没有说明其版本",
)
NO_PACKAGE = Message(
    "{name} is not installed in this interpreter: {how}",
    "当前解释器未安装 {name}：{how}",
)
INSTALL = Message(
    "pip install torch=={version}, then pip install --no-deps torch_npu=={version}",
    "pip install torch=={version}，然后 pip install --no-deps torch_npu=={version}",
)
NO_TORCH_NPU = Message(
    "{folder} is no torch_npu: it has none of {libraries}",
    "{folder} 不是 torch_npu：没有 {libraries} 中的任何一个",
)
NM_FAILED = Message(
    "nm, which reads the symbols of torch_npu's libraries, failed: {error}. It belongs to binutils,"
    " as the linker does",
    "读取 torch_npu 各库符号的 nm 失败：{error}。它与链接器同属 binutils",
)
UNKNOWN_FUNCTIONS = Message(
    "torch_npu {version} ({folder}) binds {count} functions of CANN that the simulated device does"
    " not know: {names}. Known are those of torch_npu {versions}",
    "torch_npu {version}（{folder}）绑定了模拟设备不支持的 {count} 个 CANN 函数：{names}。"
    "已知的是 torch_npu {versions} 的函数",
)
TORCH_IMPORTED = Message(
    "simulate: torch was imported before. It must come after, as it would load torch_npu over CANN,"
    " or fail to",
    "simulate：torch 已被导入。它必须在此之后导入，否则会基于 CANN 加载 torch_npu，或加载失败",
)
HAS_NPU = Message(
    "simulate: this host has {node}. Nothing is simulated beside an NPU unless asked for:"
    " beside_npu=True",
    "simulate：本机有 {node}。除非以 beside_npu=True 要求，否则不在有 NPU 的主机上模拟",
)
SIMULATE = Message("simulate: {error}", "simulate：{error}")
SIMULATE_WHEEL = Message(
    "simulate: torch_npu {version}: {error}", "simulate：torch_npu {version}：{error}"
)
