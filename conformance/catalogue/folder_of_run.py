"""The folder of a run: why nothing can be said on it, and why it cannot be written."""

from conformance.catalogue.message import Message

OF_FOLDER = Message("{folder}: {what}", "{folder}：{what}")
ALLOWED_RUN = Message(
    "allowed: the folder of a run, such as reports/latest",
    "允许：一次运行的文件夹，如 reports/latest",
)

# Why a run cannot be judged.
INCOMPLETE = Message("incomplete: {what}", "未完成：{what}")
NOT_ENDED = Message(
    "the run (process {process}) has not ended yet", "运行（进程 {process}）尚未结束"
)
ENDED_EARLY = Message(
    "the run (process {process}) ended before its end", "运行（进程 {process}）中途终止"
)
RUN_IS = Message("the run is {status}", "运行状态为 {status}")
RUN_LACKS = Message("the run is {status}: {missing}", "运行状态为 {status}：{missing}")
CUT_SHORT = Message("{count} cut short ({items})", "{count} 项被截断（{items}）")
UNREACHED = Message("{count} not reached ({items})", "{count} 项未执行（{items}）")
IS_SHARD = Message(
    "this is shard {shard} of a run: merge it with the others first",
    "这是一次运行的分片 {shard}，请先合并",
)
ENDED_WITH_STATUS = Message("the run ended with status {status}", "运行以状态码 {status} 结束")
ENVIRONMENT_FAILED = Message(
    "the device or its environment failed: {what}", "设备或环境故障：{what}"
)
EMPTY = Message("empty: no case was judged", "空：没有判定任何用例")
EMPTY_AS = Message("empty: no case was judged ({why})", "空：没有判定任何用例（{why}）")
LEFT_OUT = Message("{name}: {reason}", "{name}：{reason}")
NO_DEVICE = Message(
    "no device: the evidence does not say what was judged", "没有设备：证据没有说明判定了什么"
)
SEVERAL_DEVICES = Message(
    "several devices in one run: {devices}", "一次运行中有多个设备：{devices}"
)
NO_EVIDENCE = Message(
    "no evidence: there is no {file} in {folder}", "无证据：缺少 {file}，位于 {folder}"
)
UNREADABLE = Message("{file} cannot be read: {why}", "无法读取 {file}：{why}")
OLDER_SCHEMA = Message(
    "older schema: {file} has schema {schema}, older than this version reads ({known}): run again",
    "schema 过旧：{file} 的 schema 为 {schema}，早于本版本所读（{known}）：请重新运行",
)
NEWER_SCHEMA = Message(
    "newer schema: {file} has schema {schema}, newer than this version reads ({known}): run again",
    "schema 过新：{file} 的 schema 为 {schema}，新于本版本所读（{known}）：请重新运行",
)

# Where a run is to be written.
MUST_BE_FOLDER = Message("must be a folder, or not be there yet", "必须是文件夹，或尚不存在")
CANNOT_BE_MADE = Message(
    "cannot be made: {there} is no folder that can be written",
    "无法建立：{there} 不是可写的文件夹",
)
NOT_EMPTY = Message(
    "is not empty and not the folder of an earlier run", "非空，也不是此前运行的文件夹"
)
ANOTHER_RUN = Message("another run is writing there", "另一次运行正在写入")
ANOTHER_PROCESS = Message(
    "another run, process {process}, is writing there", "另一次运行（进程 {process}）正在写入"
)
WAITING = Message("waiting for the run that is ending in {folder}", "等待 {folder} 中的运行结束")
UNWRITABLE = Message(
    "the folder of the run, {folder}, cannot be written: {why}",
    "无法写入运行的文件夹 {folder}：{why}",
)
UNWRITABLE_EVIDENCE = Message(
    "the evidence, {file}, cannot be written: {why}", "无法写入证据 {file}：{why}"
)
ALLOWED_BUDGETS = Message(
    "allowed: a time above 0, such as 90s, 10m or 2h", "允许：大于 0 的时间，如 90s、10m 或 2h"
)

# The coverage of kernels.
NEEDS_GCOVR = Message(
    "kernel coverage needs gcovr: python -m pip install gcovr",
    "Kernel 覆盖率需要 gcovr：python -m pip install gcovr",
)
NEEDS_GCOV = Message(
    "kernel coverage needs gcov, which comes with g++", "Kernel 覆盖率需要 gcov（随 g++ 提供）"
)
NO_COUNTERS = Message(
    "no device process left coverage counters in {folder}",
    "没有设备进程在 {folder} 中留下覆盖率计数",
)
GCOVR_FAILED = Message("gcovr failed: {error}", "gcovr 失败：{error}")
