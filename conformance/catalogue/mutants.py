"""What ``mutants`` says: what became of a kernel's automatic mutants, and what a record lacks."""

from conformance.catalogue.message import Message

SUMMARY = Message(
    "{operator}: mutants: {mutants}, killed {killed}, survived {survived},"
    " changes nothing {unseen}, does not compile {invalid}",
    "{operator}：变异体 {mutants}，被发现 {killed}，存活 {survived}，"
    "未改变任何结果 {unseen}，无法编译 {invalid}",
)
SOME = Message("{some} of {all}", "{some}/{all}")
UNCHANGED_FAILS = Message(
    "{operator}: the unchanged kernel fails, no mutant was judged: {headline}",
    "{operator}：未改动的 kernel 未通过，没有判定变异体：{headline}",
)
TOO_WEAK = Message(
    "survived: answers differ, and the record accepts them; it is too weak",
    "存活：结果不同，但记录接受；记录太弱",
)
UNSEEN = Message(
    "changes nothing: no answer to {calls:,} calls differs; probably equivalent",
    "未改变任何结果：{calls:,} 个调用的结果都相同；很可能等价",
)
MORE = Message("and {count} more", "另有 {count} 个")

A_DRAWN_CASE = Message("a drawn case of {mode}, {dtype}", "随机用例（{mode}、{dtype}）")
OTHER_OUTPUTS = Message(
    "{names} {count:differs|differ} in {call}: let the contract promise more,"
    " or draw values with one right answer",
    "{call}：{names} 不同；请让契约承诺更多，或生成只有一个正确结果的值",
)
OTHER_END = Message(
    "{call} ends otherwise: let a rejected call or an example state its end",
    "{call}：结束方式不同；请用应拒绝的调用或示例写明",
)
OTHER_CODES = Message(
    "{call} has other warnings of the device: {codes}", "{call}：设备警告不同：{codes}"
)

NO_FOLDER = Message(
    "it has no kernel: no folder {places}; --operators names the folder of records and kernels",
    "没有 kernel：找不到目录 {places}；--operators 给出记录与 kernel 所在目录",
)
COPY_NOT_BUILT = Message(
    "a copy of the unchanged kernel in {folder} does not compile: {error}",
    "{folder} 中未改动的 kernel 的副本无法编译：{error}",
)
WORKERS = Message("allowed: integers from 1 to {most}", "允许：1 至 {most} 的整数")
PROGRESS = Message("mutants of {operator}", "{operator} 的变异体")
