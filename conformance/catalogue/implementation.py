"""What a case was called on, and whether that is what failed."""

from conformance.catalogue.message import Message

OWN_KERNELS = Message("the suite's own kernels", "套件自带的 kernel")
KERNELS = Message("the kernels in {place}", "kernel 目录 {place}")
CANN = Message("CANN's own operators", "CANN 自带的算子")
LIBRARIES = Message("the libraries in {place}", "库目录 {place}")
PACKAGE = Message("the package in {place}", "算子包 {place}")
CHECKOUT = Message("the checkout {place}", "源码目录 {place}")
PYTHON = Message("the Python function {place}", "Python 函数 {place}")
PLUGIN = Message("{place}, a device of a pytest plugin", "{place}（pytest 插件的设备）")
WITH_LIBRARY = Message("{what} ({file} sha256 {sha256})", "{what}（{file} sha256 {sha256}）")

BY_OPERATORS = Message(
    "--operators, the folder of its records", "--operators（其算子记录所在目录）"
)
BY_PYTEST = Message("pytest, which runs the failed item again", "pytest（重新运行失败的测试项）")

UNKNOWN = Message("the case does not say on what it failed", "该用例未记录当时失败的实现")
ANOTHER = Message(
    "another implementation: {now} instead of {failed}", "并非同一实现：{now}，而非 {failed}"
)
REBUILT = Message("rebuilt since: {changed}", "此后已重新编译：{changed}")
CHANGED = Message("{file} was {before}, is {now}", "{file} 原为 {before}，现为 {now}")
NEW = Message("{file} was not there, is {now}", "{file} 原先没有，现为 {now}")
GONE = Message("{file} was {before}, is not there", "{file} 原为 {before}，现已不存在")
ABSENT = Message(
    "the implementation that failed is not here: {failed}: {why}. Name it by {how}, or name another"
    " one by --libraries, --package, --kernels, --implementation or --own-kernels (the suite's"
    " own)",
    "此处没有当时失败的实现：{failed}：{why}。用 {how} 指明它，或用"
    " --libraries、--package、--kernels、--implementation、--own-kernels 指明另一实现"
    "（最后一项为套件自带）",
)
DEVICE_CALLS = Message("this device calls {now}", "此设备调用：{now}")
NO_FOLDER = Message("there is no such folder", "该目录不存在")
LEADS_TO = Message("it leads to {real} now", "该目录现指向 {real}")
IN_THE_BUNDLE = Message("the folder lies in the bundle", "该目录位于复现包内")
OF_ANOTHER_USER = Message(
    "{folder} is another user's, or others may write it", "{folder} 属于其他用户，或可被他人写入"
)
NOT_PROBED_NOW = Message(
    "not judged: values are not bounded now that were when it failed: the device's functions were"
    " probed then (docs/how-to/npu-host.md, section 5)",
    "未判定：失败时已探测该设备的函数，现在未探测，因此有些值失去了界"
    "（docs/how-to/npu-host.md，第 5 节）",
)
