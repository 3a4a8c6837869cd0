"""Every text of the report in English and in Chinese, by key."""

from __future__ import annotations

from collections.abc import Mapping

LANGUAGES = ("en", "zh")
HTML_LANGUAGE = {"en": "en", "zh": "zh-CN"}

TEXTS: Mapping[str, tuple[str, str]] = {
    "title": ("Conformance report", "一致性测试报告"),
    "accepted": ("Accepted", "通过"),
    "failed": ("Failed", "未通过"),
    "incomplete": ("Incomplete", "未完成"),
    "nothing": ("Nothing to judge", "无可判定的用例"),
    "environment": ("The environment failed", "环境故障"),
    "interrupted": ("Interrupted", "已中断"),
    "running": ("The run did not end", "运行未正常结束"),
    "cut": ("Accepted as far as the budget went", "在时间预算内通过"),
    "not judged": ("not judged", "未判定"),
    "none shown": ("No failures.", "没有失败项。"),
    "none judged": ("Nothing was judged.", "未判定任何用例。"),
    "cases": ("Cases", "用例数"),
    "distinct": ("distinct cases", "个不同用例"),
    "cells judged": ("cells selected", "个选定单元"),
    "of declared": ("declared", "已声明"),
    "failed items": ("failed items", "个失败项"),
    "seconds": ("seconds", "秒"),
    "device": ("Device", "设备"),
    "called": ("Called", "实际调用"),
    "route": ("Route", "调用路径"),
    "profile": ("Profile", "测试档位"),
    "seed": ("Seed", "随机种子"),
    "started": ("Started", "开始时间"),
    "matrix": ("Operators, modes and dtypes", "算子 × 模式 × 数据类型"),
    "operator": ("Operator", "算子"),
    "mode": ("Mode", "模式"),
    "dtype": ("Dtype", "数据类型"),
    "verdict": ("Verdict", "判定"),
    "exact": ("Bit-exact", "逐位判定"),
    "headroom": ("Worst headroom", "最小误差余量"),
    "exact note": (
        "Bit-exact: of what was judged, the share of which the arithmetic allows one value alone;"
        " the rest is held to an interval. Worst headroom: of that rest, the smallest share of the"
        " accepted error left unused; 0 % is as right as 100 %. –: nothing to tell, or the cell"
        " failed.",
        "逐位判定：被判定的元素中，运算只允许唯一结果的比例；其余按区间判定。最小误差余量：按区间判定的"
        "元素中，未用到的可接受误差的最小比例；0 % 与 100 % 同样正确。“–”：无可报告，"
        "或该组合已失败。",
    ),
    "matrix note": (
        "A mark for each mode: filled: accepted; round: failed; empty: not or not wholly judged.",
        "每种模式一个标记：实心为通过，圆形为未通过，空心为未判定或未完成。",
    ),
    "time": ("Seconds", "用时（秒）"),
    "every mode": ("Every mode and data type", "每种模式与数据类型"),
    "coverage sum": (
        "{total.judged:,} of {total.tuples:,} combinations of levels and {total.edges_judged:,} of"
        " {total.edges:,} tiling boundaries are judged.",
        "水平组合共 {total.tuples:,} 个，已判定 {total.judged:,} 个；"
        "Tiling 边界共 {total.edges:,} 个，已判定 {total.edges_judged:,} 个。",
    ),
    "sources": ("Where the verdicts come from", "判定的来源"),
    "command": ("Command", "命令"),
    "commit": ("Commit", "提交"),
    "tree": ("Working tree", "工作区"),
    "changed": ("has changes that are in no commit", "有未提交的改动"),
    "cann": ("CANN version", "CANN 版本"),
    "soc": ("SoC name", "SoC 型号"),
    "host": ("Host", "主机"),
    "packages": ("Versions", "版本"),
    "judge": ("SHA-256 of the judge's sources", "判定代码的 SHA-256"),
    "libraries": ("Libraries loaded, with their SHA-256", "已加载的库及其 SHA-256"),
    "must be refused": ("must be refused", "应被拒绝的调用"),
    "relations": ("relations", "算子间关系"),
    "sequences": ("sequences of calls", "调用序列"),
    "coverage": ("Coverage", "覆盖率"),
    "combinations": ("Combinations of levels", "取值组合"),
    "edges": ("Tiling boundaries", "Tiling 边界"),
    "missing": ("Not judged", "未判定"),
    "more": ("more, see evidence.json", "项未列出，详见 evidence.json"),
    "no coverage": (
        "This run declares no discrete cells.",
        "本次运行未声明离散单元。",
    ),
    "not here": ("Not possible here, not judged:", "此处无法执行，未判定："),
    "gave way": ("Gave way to another card:", "已改用另一张卡："),
    "early": (
        "Items with a failure end before their last cases, so gaps may come from the failures.",
        "测试项失败后即提前终止，其余用例未执行，覆盖缺口可能由此造成。",
    ),
    "kernel coverage": ("Kernel source", "Kernel 源码"),
    "lines": ("Lines", "行"),
    "branches": ("Branches", "分支"),
    "lines missed": ("Lines not run", "未执行的行"),
    "failures": ("Failures", "失败详情"),
    "replay": ("Replay this case", "复现该用例"),
    "reported": ("This mistake in public reports", "该错误的公开报告"),
    "picture": ("Where it is wrong", "错误位置"),
    "picture larger": (
        "Where it is wrong, in a larger case than the smallest",
        "错误位置（取自比最小用例更大的用例）",
    ),
    "larger case": ("What was found in the larger case", "较大用例的诊断信息"),
    "distances": ("How far off", "偏差分布"),
    "map words": ("{wrong} of {all} elements are wrong", "{all} 个元素中有 {wrong} 个错误"),
    "wrong": ("wrong, the darker the more", "错误元素，颜色越深占比越高"),
    "block": ("one square: {rows} × {columns} elements", "每格：{rows} × {columns} 个元素"),
    "begins experts": ("an expert's rows begin", "专家的起始行"),
    "begins cores": (
        "a core's rows begin, if rows are shared in order",
        "核的起始行（假定按顺序均分）",
    ),
    "begins tiles": ("a tile begins", "分块（tile）起始列"),
    "columns up to": ("columns 0 to {last}", "列 0 至 {last}"),
    "rows up to": ("rows 0 to {last}, downwards", "行 0 至 {last}（自上而下）"),
    "bar right": ("accepted", "正确"),
    "bar unwritten": ("never written", "未写入"),
    "bar off": ("off by {span} {unit}", "偏差 {span} {unit}"),
    "bar nan": ("NaN", "非数 NaN"),
    "bar open": ("nothing promised", "无规定"),
    "more gaps": ("and {count} more, in evidence.json", "另有 {count} 项，见 evidence.json"),
    "no lines": (
        "No diagnostic names a line of the kernel: where is told by the picture alone.",
        "没有诊断指出 Kernel 的具体行，位置只能由上图判断。",
    ),
    "kernel lines": ("Lines of the kernel", "Kernel 源码位置"),
    "details": ("What was found", "诊断信息"),
    "diagnostics note": (
        "Words of documents and a kernel's own messages are quoted as they are.",
        "文档引文与 Kernel 自身的消息保持原文。",
    ),
    "cut text": (
        "The text was cut here; verdict.txt has all of it.",
        "文本在此截断，全文见 verdict.txt。",
    ),
    "alike": ("Of the same diagnosis", "同一诊断"),
    "more failures": ("more failures, see the folder failures", "个失败项未列出，见 failures 目录"),
    "errors": ("Ended without a verdict", "未得出判定即结束"),
    "yes": ("accepted", "通过"),
    "no": ("failed", "未通过"),
    "partial": ("incomplete", "未完成"),
}


def texts(language: str) -> dict[str, str]:
    """All texts in one language of `LANGUAGES`."""
    which = LANGUAGES.index(language)
    return {key: both[which] for key, both in TEXTS.items()}
