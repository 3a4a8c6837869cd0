"""What is said of many runs over time, and of the database that keeps them."""

from conformance.catalogue.message import Message

ADDED = Message("{new} runs added to {path}", "已向 {path} 添加 {new} 次运行")
ADDED_SOME = Message(
    "{new} runs added to {path}, {known} known already",
    "已向 {path} 添加 {new} 次运行，另有 {known} 次已存在",
)
PAGE = Message("page: {path}", "页面：{path}")
NO_RUN = Message("no run in the history", "历史库中没有运行")

FIRST_IN = Message(
    "first in the run of {started}, commit {commit}, {folder}:",
    "首次出现于 {started} 的运行（提交 {commit}，{folder}）：",
)
CHANGE = Message(
    "  {operator}, {what} of {name}: {before} -> {after}",
    "  {operator}，{name} 的{what}：{before} -> {after}",
)
EARLIER_CHANGES = Message(
    "{count} earlier changes (--json has all)", "更早的变化 {count} 处（--json 列出全部）"
)
NO_CHANGE = Message(
    "nothing changed between the whole runs of any device", "任一设备的完整运行之间均无变化"
)

OF_VERDICT = Message("verdict", "判定")
OF_NAMED_CALL = Message("named call", "具名调用")
OF_INPUTS = Message("inputs", "输入")
OF_BIT_EXACT = Message("bit-exact elements", "逐位一致元素")
OF_TILING_KEY = Message("tiling key", "Tiling 键")
OF_WORKSPACE = Message("workspace", "workspace")
OF_ORDER = Message("order of additions", "累加顺序")
OF_LIBRARY = Message("library", "库")
BIT_EXACT = Message("{exact} of {elements}", "{elements} 个中 {exact} 个")

PICTURE_ENDINGS = Message(
    "allowed: a file that ends with {endings}", "允许：以 {endings} 结尾的文件"
)
NEEDS_MATPLOTLIB = Message(
    "needs matplotlib: python -m pip install 'moe-conformance[plots]'",
    "需要 matplotlib：python -m pip install 'moe-conformance[plots]'",
)
NOT_WRITTEN = Message("cannot be written: {error}", "无法写入：{error}")
SHARE_DRAWN = Message("bit-exact, %", "逐位一致，%")
FAILED_DRAWN = Message("failed cases", "未通过用例数")
TIME_DRAWN = Message("time, s", "用时，秒")
BEGAN_DRAWN = Message("when the run began, UTC", "运行开始时间，UTC")

NO_FILE = Message("must be a file", "必须是文件")
NOT_YET_THERE = Message(
    "is not there yet: history import RUN makes it", "尚不存在：由 history import RUN 创建"
)
NOT_OPENED = Message(
    "the history, {path}, cannot be opened: {error}", "历史库 {path} 无法打开：{error}"
)
DATABASE_FAILED = Message("the history, {path}: {error}", "历史库 {path}：{error}")
NO_HISTORY = Message("is no history: {error}", "不是历史库：{error}")
ANOTHER_DATABASE = Message(
    "is a database, but not a history of runs", "是数据库，但不是运行的历史库"
)
ANOTHER_SCHEMA = Message(
    "has schema {schema}; this version reads {known}: import the runs into a new one",
    "结构版本为 {schema}，本版本读取 {known}：请将运行导入新的历史库",
)
ON_A_NETWORK = Message(
    "lies on a network file system ({kind}), where several hosts may write, and a database would be"
    " damaged; keep it on a disk of one host (--db), copy the folders of the runs there, and bring"
    " them in with history import",
    "位于网络文件系统（{kind}）上，多台主机可能同时写入，会损坏数据库；请将其放在一台主机的磁盘上"
    "（--db），把各次运行的目录复制过去，再用 history import 导入",
)

NOT_ENDED = Message(
    "{folder}: incomplete: its run has not ended, or was ended before its end",
    "{folder}：未完成：其运行尚未结束，或被提前终止",
)
NO_DEVICE = Message("{folder}: empty: no device was judged", "{folder}：空：没有判定任何设备")
