"""The rules that calls break which every operator must refuse: the protocol of the two phases."""

from conformance.catalogue.message import Message

OWN_STATUS = Message(
    "{rule} (no document names a status; this is that of the suite's own interface)",
    "{rule}（没有文档规定状态码；此为本套件自有接口的状态码）",
)
PLACES = Message(
    "phase one has places for the workspace size and the executor",
    "第一段接口须有存放 workspace 大小与 executor 的位置",
)
PLACES_READ = Message(
    "nnopbase, NnopbaseRunForWorkspace: a null place is 161001; entries written by hand have no"
    " such check",
    "nnopbase，NnopbaseRunForWorkspace：位置为空返回 161001；手写入口没有该检查",
)
EXECUTOR = Message("phase two has an executor", "第二段接口须有 executor")
EXECUTOR_READ = Message(
    "nnopbase, NnopbaseRunWithWorkspace and CommonOpExecutorRun: a null executor is 161001",
    "nnopbase，NnopbaseRunWithWorkspace 与 CommonOpExecutorRun：executor 为空返回 161001",
)
WORKSPACE = Message(
    "phase two has workspace, if phase one asks for some",
    "若第一段接口要求 workspace，则第二段接口须提供",
)
WORKSPACE_READ = Message(
    "nnopbase, NnopbaseRunWithWorkspace and CommonOpExecutorRun: null of more than 0 bytes is"
    " 161001",
    "nnopbase，NnopbaseRunWithWorkspace 与 CommonOpExecutorRun：超过 0 字节而为空返回 161001",
)
ONCE = Message(
    "an executor is used once, if it was not made repeatable",
    "executor 若未设为可重复，则只能使用一次",
)
KNOWN = Message(
    "an executor is one that phase one handed out and nobody destroyed",
    "executor 须由第一段接口给出且未被销毁",
)
ENOUGH = Message(
    "the workspace has the bytes that phase one asks for",
    "workspace 须有第一段接口所要求的字节数",
)
ALIGNED = Message(
    "the workspace begins at a multiple of 64, as a core writes whole lines of its cache",
    "workspace 的起始地址须为 64 的倍数，因为核按整条缓存行写入",
)
LIVE = Message(
    "the stream of phase two is one that is not destroyed", "第二段接口的 stream 须未被销毁"
)
