"""Headings and words of the tables of runs and of their history."""

from conformance.catalogue.message import Message

OPERATOR = Message("operator", "算子")
MODE = Message("mode", "模式")
MODES = Message("modes", "模式数")
DTYPE = Message("dtype", "数据类型")
DTYPES = Message("dtypes", "数据类型数")
CASES = Message("cases", "用例数")
WRONG_CALLS = Message("rejections", "应拒绝调用数")
VERDICT = Message("verdict", "判定")
BIT_EXACT = Message("bit-exact", "逐位一致")
CERTAIN_ROWS = Message("certain rows", "唯一结果行")
WORST_HEADROOM = Message("worst headroom", "最小误差余量")
TIME = Message("time", "用时")
SECONDS = Message("{seconds:.1f} s", "{seconds:.1f} 秒")

ACCEPTED = Message("accepted", "通过")
FAILED = Message("failed", "未通过")
NOT_JUDGED = Message("not judged", "未判定")
INCOMPLETE = Message("incomplete", "未完成")

OF_WRONG_CALLS = Message("(rejections)", "（应拒绝的调用）")
MUST_BE_REFUSED = Message("(must be rejected)", "（应被拒绝）")
OF_RELATIONS = Message("(relations)", "（算子间关系）")
OF_SEQUENCES = Message("(sequences)", "（调用序列）")

STANDARD = Message("standard", "标准")
ACCEPTS = Message("accepts", "接受")
REJECTS = Message("rejects", "拒绝")
INVESTIGATE = Message("investigate", "待查")
SAYS_NOTHING = Message("says nothing", "无结论")
TOO_LENIENT = Message("too lenient", "过宽")
TOO_HARSH = Message("too harsh", "过严")

STARTED = Message("started", "开始时间")
COMMIT = Message("commit", "提交")
TREND = Message("{operator}; {series}; time {times}", "{operator}；{series}；用时 {times}")
