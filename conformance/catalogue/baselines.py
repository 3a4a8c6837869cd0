"""Baselines: what they hold for, and why one cannot be read, written or compared with."""

from conformance.catalogue.message import Message

# What a baseline holds for.
SOC = Message("SoC", "SoC")
CANN = Message("CANN", "CANN")
DRIVER = Message("driver", "驱动")
TORCH_NPU = Message("torch_npu", "torch_npu")
ROUTE = Message("route", "调用路径")
CORPUS = Message("corpus", "用例集")
PROFILE = Message("profile", "档位")
OF = Message("{name} {value}", "{name} {value}")
DIFFERENCE = Message("{name} {before} -> {now}", "{name} {before} -> {now}")

MUST_SAY_IT = Message(
    "must say it: a baseline is somebody's decision", "必须说明：基线由具体的人决定"
)
OF_ANOTHER_KEY = Message(
    "is the baseline of {key}, and this run is of another key ({differences}): give it another"
    " --name",
    "是 {key} 的基线，而这次运行属于另一组条件（{differences}）：请以 --name 另取名称",
)
UNREADABLE = Message("the baseline {path} cannot be read: {why}", "无法读取基线 {path}：{why}")
CORRUPTED = Message("the baseline {path} is corrupted: {error}", "基线 {path} 已损坏：{error}")
OF_SCHEMA = Message(
    "the baseline {path} has schema {schema}; this version reads {known}: accept a run anew",
    "基线 {path} 的 schema 为 {schema}，本版本只读 {known}：请重新接受一次运行",
)
NOT_THERE = Message("is not in {folder}; there are: {names}", "{folder} 中没有；现有：{names}")
NO_BASELINE = Message(
    'no baseline in {folder}: accept one (baseline accept RUN --who NAME --why "..."), or ask for'
    " --no-baseline",
    '{folder} 中没有基线：请接受一次运行（baseline accept RUN --who NAME --why "..."），或使用'
    " --no-baseline",
)
NO_BASELINE_OF_KEY = Message(
    "no baseline for {key}: {apart}; accept one (baseline accept RUN --who NAME --why"
    ' "..."), or ask for --no-baseline',
    "没有 {key} 的基线：{apart}；请接受一次运行（baseline accept RUN --who NAME --why"
    ' "..."），或使用 --no-baseline',
)
OTHER_PROFILE = Message(
    "another profile: {apart}; accept one of its own",
    "档位或条件不同：{apart}；请另行接受其自己的基线",
)
APART = Message(
    "beside the baseline {name} it differs in {differences}",
    "与基线 {name} 相比，不同之处：{differences}",
)
ALLOWED_NAMES = Message(
    "allowed: up to 100 letters, digits and . _ + -, a letter or digit first",
    "允许：至多 100 个字母、数字和 . _ + -，以字母或数字开头",
)
