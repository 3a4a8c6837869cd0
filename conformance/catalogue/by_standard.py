"""What published standards rule beside the suite's own verdict."""

from conformance.catalogue.message import Message

STANDARD = Message(
    "standard: {name}, {version} ({source}); {data}", "标准：{name}，{version}（{source}）；{data}"
)
DATA = Message("data: {words}", "数据：{words}")
FORMULA_ONLY = Message("formula only, data of the suite", "仅用其公式，数据由本套件生成")

REJECTS = Message(
    "{standard} rejects for {output}: {sentence}", "{standard} 不接受 {output}：{sentence}"
)
INVESTIGATE = Message(
    "{standard} investigate for {output}: {sentence}",
    "{standard} 要求人工检查 {output}：{sentence}",
)
SAYS_NOTHING = Message(
    "{standard} says nothing for {output}: {sentence}",
    "{standard} 对 {output} 未作规定：{sentence}",
)

COMPUTED_FLOATS = Message("it says nothing of computed floats", "该标准未涉及计算得到的浮点数")
COMPUTED_FLOATS_OF = Message(
    "it says nothing of computed floats of {dtypes}", "该标准未涉及计算得到的 {dtypes} 浮点数"
)
NO_SUM = Message(
    "it judges sums, and no output of {operators} is one",
    "该标准判定求和，而 {operators} 没有求和的输出",
)
