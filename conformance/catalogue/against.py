"""Two implementations side by side: which is wrong, and whether they are the same."""

from conformance.catalogue.message import Message

SAME_BITS = Message(
    "accepted, with the same bits from {first} and {second}",
    "通过，{first} 与 {second} 的结果逐位相同",
)
OTHER_BITS = Message(
    "both are accepted, {first} and {second}, and differ in bits",
    "{first} 与 {second} 均通过，但结果的比特不同",
)
FIRST_WRONG = Message(
    "wrong is {first}, not {second}: {what}", "有误的是 {first}，而非 {second}：{what}"
)
SECOND_WRONG = Message(
    "wrong is {second}, not {first}: {what}", "有误的是 {second}，而非 {first}：{what}"
)
BOTH_WRONG = Message(
    "both are wrong, {first} and {second}; the first: {what}",
    "{first} 与 {second} 均有误；第一个：{what}",
)
DIFFERS = Message(
    "{output}: {count} of {size} elements differ in bits, first [{where}]: {one} and {other}",
    "{output}：{size} 个元素中有 {count} 个比特不同，首个 [{where}]：{one} 与 {other}",
)
TOLD = Message(
    "against {second}: the same bits in {same:,} of {cases:,} cases, other bits in {other:,}, both"
    " accepted",
    "与 {second} 对照：{cases:,} 个用例中 {same:,} 个逐位相同，{other:,} 个比特不同但均通过",
)
WRONG = Message(
    "against {second}: it alone is wrong in {two:,} cases, the first alone in {one:,}, both in"
    " {both:,}",
    "与 {second} 对照：仅其有误 {two:,} 例，仅第一个有误 {one:,} 例，均有误 {both:,} 例",
)
SIDE = Message("{what} on {device} by route {route}", "{device} 上的 {what}（调用路径 {route}）")
AGAINST = Message("against: {second}", "对照：{second}")
AGAINST_FUNCTIONS = Message("against: {second}; {place}", "对照：{second}；{place}")
HOW_WRITTEN = Message(
    "allowed: a route (aclnn, kernel, torch_npu), a device (sim:SOC, npu:N), a folder of libraries,"
    " a Python function (FILE.py:NAME)",
    "允许：调用路径（aclnn、kernel、torch_npu）、设备（sim:SOC、npu:N）、库目录、"
    "Python 函数（FILE.py:NAME）",
)
NO_PROGRAM = Message("must be a program of Python", "须为 Python 解释器程序")
NOT_STARTED = Message(
    "{python} cannot run a device's process: {error}. It needs the packages of the suite: install"
    " the suite there, too",
    "{python} 无法运行设备进程：{error}。它需要本套件的软件包：请在其中也安装本套件",
)
OF_PYTHON = Message("{python}: {error}", "{python}：{error}")
IN = Message("{what} in {python}", "{python} 中的 {what}")
SAME = Message("allowed: bits", "允许：bits")
