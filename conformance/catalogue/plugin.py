"""The help of the plugin's options of pytest."""

from conformance.catalogue.message import Message

DEVICE = Message("auto (if absent), sim[:SOC], npu[:N,...]", "auto（默认）、sim[:SOC]、npu[:N,...]")
ONE_OF = Message("{names}; {default} if absent", "{names}；默认 {default}")
RECORDS = Message("a folder of records to judge", "待判定的算子记录文件夹")
OPERATOR = Message(
    "judge this operator; else those of --conformance-operators, or all",
    "判定该算子；否则判定 --conformance-operators 中的算子，或全部算子",
)
SEED = Message(
    "seed of all draws (0; nightly: a new one each run)", "全部抽样的种子（0；nightly 每次新取）"
)
BUDGET = Message(
    "begin nothing new after TIME: 90s, 10m, 2h", "超过 TIME 后不再开始新的测试项：90s、10m、2h"
)
SHARD = Message("judge the I-th of N parts", "判定 N 份中的第 I 份")
TIMES = Message(
    "share items out by their seconds in an earlier run", "按此前运行中各项的用时分配分片"
)
TIMING = Message(
    "on an NPU, time fixed calls by events, N repetitions each",
    "在 NPU 上以事件为固定调用计时，每次重复 N 遍",
)
SPLIT = Message("split items that draw cases into N parts", "将抽取用例的项拆成 N 份")
RESUME = Message("go on with the run that did not end", "续跑未结束的运行")
SUM_UP = Message("judge nothing more of a resumed run", "不再判定续跑的运行，只作汇总")
OUT = Message("folder of the run (reports/pytest)", "运行的文件夹（reports/pytest）")
TIME_LIMIT = Message(
    "of one call on the device, more of a large one; by profile",
    "设备上单次调用的时限，大调用的更长；随档位而定",
)
LIBRARIES = Message("judge the device libraries in DIR", "判定 DIR 中的设备库")
IMPLEMENTATION = Message(
    "judge a Python function, FILE.py:NAME or MODULE:NAME, in the place of an operator",
    "以 Python 函数（FILE.py:NAME 或 MODULE:NAME）代替某算子进行判定",
)
TENSORS = Message("what it is given: torch or numpy", "它所接收的张量：torch 或 numpy")
LENIENT = Message(
    "a Python function may carry out what it must reject", "Python 函数可以执行应拒绝的调用"
)
AGAINST = Message("judge another implementation beside it", "同时判定另一实现并作对照")
AGAINST_PYTHON = Message(
    "the other implementation runs in this Python", "另一实现在该 Python 中运行"
)
SAME = Message("both must give the same bits", "两者结果须逐位相同")
PACKAGE = Message("judge the custom-operator package in DIR", "判定 DIR 中的自定义算子包")
WORKLOAD = Message("judge the calls of this model alone", "仅判定该模型的调用")
CASE = Message("judge the saved cases of this folder alone", "仅判定该目录中已保存的用例")
STANDARD = Message(
    "summed outputs must pass this published standard too", "求和输出还须通过该公开标准"
)
LEFT_OUT = Message(
    "what was asked for and cannot be judged: the run ends with status 1",
    "要求判定而无法判定的内容：运行以状态 1 结束",
)
NAMED = Message(
    "an operator that must have an item: else the run ends with status 1",
    "必须有测试项的算子：否则运行以状态 1 结束",
)
STANDARDS = Message("tell what every standard says", "给出每个标准的结论")
