"""What published precision standards say of an output, and what they are."""

from conformance.catalogue.message import Message

# Rulings, and what they are about.
ACCEPTS = Message("accepts", "通过")
REJECTS = Message("rejects", "不通过")
INVESTIGATE = Message("investigate", "须人工分析")
SAYS_NOTHING = Message("says nothing", "未作规定")
COMPUTED = Message("computed floats", "计算所得的浮点数")
MOVED = Message("moved or cast values", "搬运或转换的值")
INTEGER = Message("computed integers", "计算所得的整数")
QUANTISED = Message("quantised values", "量化值")

NOT_FOR = Message("not for {kind} of {dtype}", "不适用于 {dtype} 的{kind}")
NO_BENCHMARK = Message(
    "compares with a same-dtype benchmark, none was given", "须与同数据类型的标杆比较，而未给出标杆"
)
NO_ELEMENTS = Message("no elements", "没有元素")
FORMULA_ONLY = Message("formula only", "仅有公式")
AGREE = Message("the standards agree", "各标准一致")
DISAGREE = Message("the standards disagree: {parts}", "各标准不一致：{parts}")
ACCEPT = Message("{names} accept", "{names} 通过")
REJECT = Message("{names} reject", "{names} 不通过")
ASK_FOR_A_PERSON = Message("{names} ask for a person", "{names} 须人工分析")

# One figure against its limit.
CHECK = Message(
    "{figure} {value:.6g} {relation} {limit:.6g}", "{figure} {value:.6g} {relation} {limit:.6g}"
)
BROKEN_CHECK = Message(
    "{figure} {value:.6g} not {relation} {limit:.6g}",
    "{figure} {value:.6g} 不满足 {relation} {limit:.6g}",
)
BETWEEN_CHECKS = Message(", ", "；")
WARNING = Message("warning: {check}", "警告：{check}")
SPECIAL_UNLIKE_GOLDEN = Message(
    "{count} NaN or Inf unlike the golden", "{count} 个 NaN 或 Inf 与 golden 不同"
)
SPECIAL_ALL_DIFFER = Message(
    "at {count} NaN or Inf device, golden and benchmark differ",
    "{count} 处 NaN 或 Inf：设备、golden 与标杆各不相同",
)
SPECIAL_UNLIKE_BOTH = Message(
    "{count} NaN or Inf unlike third party and golden",
    "{count} 个 NaN 或 Inf 与第三方及 golden 均不同",
)
NAN_UNLIKE_GOLDEN = Message("NaN unlike the golden", "NaN 与 golden 不同")
INF_OF_OTHER_SIGN = Message("Inf of the other sign", "Inf 符号相反")
ULPS_WITHOUT_VALUE = Message("ulp errors without a value", "ulp 误差无值")

# Figures.
MARE = Message("MARE", "MARE")
MERE = Message("MERE", "MERE")
COSINE = Message("cosine", "余弦")
COSINE_DISTANCE = Message("1 - cosine", "1 - 余弦")
MARE_RATIO = Message("MARE ratio", "MARE 比值")
MERE_RATIO = Message("MERE ratio", "MERE 比值")
RMSE_RATIO = Message("RMSE ratio", "RMSE 比值")
SMALL_VALUE_RATIO = Message("small-value ratio", "小值比值")
SMALL_RATIO = Message("small ratio", "小值域比值")
CANCELLED_RATIO = Message("cancelled ratio", "相消域比值")
LARGEST_RELATIVE_RATIO = Message("largest relative error ratio", "最大相对误差比值")
MEAN_RELATIVE_RATIO = Message("mean relative error ratio", "平均相对误差比值")
NORMAL_ERRORS = Message("normal errors", "常规域误差数")
DIFFERENT_BITS = Message("different bit patterns", "比特不同的元素数")
DIFFERENT_VALUES = Message("different values", "值不同的元素数")
LARGEST_ERROR = Message("largest error", "最大误差")
MATCHED_SHARE = Message("matched share", "匹配比例")
MISMATCHED_SHARE = Message("mismatched share", "不匹配比例")
MISMATCHED = Message("mismatched elements", "不匹配的元素数")
BAD_ELEMENTS = Message("bad elements", "不合格的元素数")
BAD_BOTH_WAYS = Message("bad elements both ways", "绝对与相对误差均不合格的元素数")
SHARE_WITHIN_HUNDREDTH = Message("share within 0.01", "误差在 0.01 以内的比例")
SHARE_BELOW = Message("share of errors below {limit:g}", "误差小于 {limit:g} 的比例")
SHARE_OF_SPECIAL = Message("share of NaN or Inf errors", "NaN 或 Inf 错误的比例")
SHARE_OF_RELATIVE = Message("share of relative errors", "相对误差超限的比例")
SHARE_OF_ABSOLUTE = Message("share of absolute errors", "绝对误差超限的比例")
SHARE_BEYOND_ULPS = Message("share beyond {ulps:g} ulp", "超过 {ulps:g} ulp 的比例")
SHARE_TO_BENCHMARK = Message("share to benchmark's", "与标杆的比例之比")
MEAN_ULPS = Message("mean ulp error", "平均 ulp 误差")
ERROR_RATE = Message("error rate", "错误率")
SHARE_BEYOND_A_STEP = Message("share beyond one step", "相差超过一级的比例")

# The data that they prescribe.
NO_SPECIAL = Message("{text}; no special values are listed", "{text}；未列特殊值")
SPECIAL = Message(
    "{text}; one input in {every} is all {values}", "{text}；每 {every} 个输入有一个全为 {values}"
)
DATA_ECOSYSTEM_V2 = Message(
    "half the cases uniform in [-5, 5], half normal with mean in [-5, 5], deviation in [0.1, 2]",
    "半数用例在 [-5, 5] 均匀分布，半数正态分布，均值在 [-5, 5]，标准差在 [0.1, 2]",
)
DATA_COMMERCIAL_L0 = Message(
    "half the cases uniform in [-5, 5], half normal with mean in [-100, 100], deviation in [1, 25]",
    "半数用例在 [-5, 5] 均匀分布，半数正态分布，均值在 [-100, 100]，标准差在 [1, 25]",
)
DATA_COMMERCIAL_L1 = Message(
    "10 % of the cases uniform in [-0.001, 0.001], 30 % in [-5, 5], 40 % normal with mean in"
    " [-100, 100] and deviation in [1, 25], 20 % with one element in 1000 multiplied by 1000",
    "10 % 的用例在 [-0.001, 0.001] 均匀分布，30 % 在 [-5, 5]，40 % 正态分布，均值在 [-100, 100]，"
    "标准差在 [1, 25]，20 % 每 1000 个元素有一个乘以 1000",
)

# Versions and sources.
SECOND_HAND = Message("{version}, second-hand", "{version}，转引")
WITHDRAWN = Message("{version}, withdrawn {withdrawn}", "{version}，已撤回：{withdrawn}")
FROM_TO = Message("{first} to {last}", "{first} 至 {last}")
SECTION = Message("{page}, section {section}", "{page}，第 {section} 节")
SECTION_LEVEL = Message(
    "{page}, section {section}, level {level}", "{page}，第 {section} 节，级别 {level}"
)
IN_ENGLISH_UNTIL = Message(
    "{page}; in English until at least {day}", "{page}；英文页至少保留至 {day}"
)
COMMON_LIMITS = Message("{file}, its common limits {limits}", "{file}，其通用限值 {limits}")
ITS_DEFAULTS = Message("{function}, its defaults", "{function}，其默认值")
DEFAULTS = Message("{function}, defaults", "{function}，默认值")
LEVELS_OF_DOCUMENTS = Message("{file}, levels by its documents", "{file}，级别据其文档")
BF16_SECOND_HAND = Message("{function}; bf16 second-hand", "{function}；bf16 为转引")
ACCURACY_CHECK = Message("{package}, inductor's accuracy check", "{package}，inductor 的精度检查")
