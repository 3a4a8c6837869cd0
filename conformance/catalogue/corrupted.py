"""Where the folder of a run contradicts itself: its lines, their chain, its seal, its summary."""

from conformance.catalogue.message import Message

CORRUPTED = Message("corrupted: {what}", "已损坏：{what}")
MORE_OF_A_KIND = Message("corrupted: {count} more of this kind", "已损坏：同类另有 {count} 处")
OF_FILE = Message("{file}: {what}", "{file}：{what}")
AT_LINE = Message("{file}, line {line}: {what}", "{file} 第 {line} 行：{what}")

# The chain of a file of lines.
NO_LINK = Message(
    "it has no link to the line before: no run wrote it", "没有与上一行的链接：并非运行所写"
)
OUT_OF_PLACE = Message(
    "it is line {line} of the run, out of its place", "这是运行的第 {line} 行，不在原位"
)
LINE_IS = Message("line {line} of the run is", "第 {line} 行")
LINES_ARE = Message("lines {first} to {last} of the run are", "第 {first} 至 {last} 行")
MISSING_BEFORE = Message("{lines} missing before it", "其前缺少运行的{lines}")
MISSING_AT_END = Message("{lines} missing at its end", "末尾缺少运行的{lines}")
LINE_CHANGED = Message("it was changed", "已被改动")
LINE_ADDED = Message("it was added after the run had ended", "是运行结束之后添加的")
ANOTHER_END = Message("its last line is not that of the run", "末行不是运行所写的那一行")
NO_LINK_AT_END = Message("its last line has no link", "末行没有链接")
NOT_PACKED = Message(
    "it is not packed as a run packs it ({error})", "压缩方式并非运行所用（{error}）"
)
LONG_MEMBER = Message(
    "a member of it unpacks to more than {most:,} bytes", "其中一段解压后超过 {most:,} 字节"
)
NOT_THE_STRENGTH = Message(
    "combinations of {strength} levels are not judged", "不判定 {strength} 个水平的组合"
)
NOT_THE_TUPLES = Message(
    "its combinations take {bytes} bytes, not {size}", "其组合占 {bytes} 字节，而非 {size} 字节"
)
FILE_MISSING = Message("{file} is missing", "缺少 {file}")
NO_FILE_OF_THE_RUN = Message("{file} is no file of this run", "{file} 不是这次运行的文件")
CUT_LINE = Message("it is cut, though the run says that it ended", "该行不完整，而运行自称已结束")

# The seal of the summary.
NO_SEAL = Message(
    "{file} has no seal, though the run says that it ended", "{file} 没有封印，而运行自称已结束"
)
SEAL_CHANGED = Message("its seal was changed", "封印已被改动")
FIELDS_LOST = Message(
    "missing from it after the run had ended: {fields}", "运行结束之后丢失的字段：{fields}"
)
FIELDS_ADDED = Message(
    "added to it after the run had ended: {fields}", "运行结束之后添加的字段：{fields}"
)
FIELDS_CHANGED = Message(
    "changed in it after the run had ended: {fields}", "运行结束之后被改动的字段：{fields}"
)

# The lines among each other.
QUARANTINE_NOT_OK = Message(
    "{item}: a verdict of it is in quarantine and not ok", "{item}：有处于隔离而未通过的判定"
)
QUARANTINE_OF_ANOTHER = Message(
    "{item} has a verdict in quarantine as {name}, which is no call of it",
    "{item} 有以 {name} 之名隔离的判定，而它没有这样的调用",
)
UNEXPLAINED = Message(
    "{item} has a verdict that is not ok and does not say why", "{item} 有未说明原因的未通过判定"
)
ACCEPTED_WITH_MISTAKE = Message(
    "{item} has an accepted verdict that says what is wrong", "{item} 有写着错误的通过判定"
)
REFUSED_WITHOUT_VERDICT = Message(
    "{item} ended as failed, and no verdict of it failed",
    "{item} 以未通过结束，却没有未通过的判定",
)
REFUSED_WITHOUT_FAILURE = Message(
    "{item} ended as failed, and its failure is not told",
    "{item} 以未通过结束，却没有记录其失败",
)
ENDED_DESPITE_VERDICT = Message(
    "{item} ended as {outcome} after a verdict that failed",
    "{item} 在判定未通过之后以 {outcome} 结束",
)
FAILURE_WITHOUT_VERDICT = Message(
    "{item} is told as failed, and no verdict of it failed",
    "{item} 记为失败，却没有未通过的判定",
)
OTHER_CLAUSES = Message(
    "{item}: its verdict and its failure say otherwise which clauses are unconfirmed",
    "{item}：判定与失败记录对哪些条款未经确认说法不一",
)

# The summary beside the lines.
OTHER_WITHHELD = Message(
    "the summary tells of other modes that are not called than the lines do",
    "汇总所记的不调用的模式与各行不同",
)
WITHHELD_WITHOUT_NPU = Message(
    "the evidence leaves modes out as on an NPU, but was made on none",
    "证据如在 NPU 上一般略去了一些模式，而它并非在 NPU 上产生",
)
OTHER_FIGURES = Message(
    "of {cell} the summary has {told}, the lines of its verdicts have {counted}",
    "关于 {cell}，汇总为：{told}；各行判定为：{counted}",
)
FIGURES = Message(
    "{cases} cases, {failed} failed, {exact} of {elements} elements bit-exact",
    "{cases} 个用例，{failed} 个未通过，{elements} 个元素中 {exact} 个逐位一致",
)
NOTHING = Message("nothing", "无")
OTHER_CASES = Message(
    "the summary has {told} cases, its cells have {counted}",
    "汇总有 {told} 个用例，各单元合计 {counted} 个",
)
FAILURE_NOT_IN_SUMMARY = Message(
    "the failure of {item} is in the lines and not in the summary",
    "{item} 的失败见于各行，而不见于汇总",
)
FAILURE_NOT_IN_LINES = Message(
    "the failure of {item} is in the summary and not in the lines",
    "{item} 的失败见于汇总，而不见于各行",
)
OTHER_FAILURE = Message(
    "the failure of {item} is another in the summary than in the lines",
    "{item} 的失败在汇总与各行中不同",
)
NO_END = Message(
    "{item} has verdicts, and it is not told how it ended", "{item} 有判定，却未说明如何结束"
)
NO_ITEMS = Message(
    "evidence.json does not say which items the run had",
    "evidence.json 没有说明这次运行有哪些测试项",
)
ITEMS = Message("{count} items, {digest}", "{count} 个测试项（{digest}）")
OTHER_ITEMS = Message(
    "the run had {asked}, and it is told what became of {told}",
    "运行有 {asked}，而有结果的是 {told}",
)
FEWER_THAN_LINES = Message(
    "{field} of the summary lacks {count} of what the lines have",
    "汇总的 {field} 比各行少 {count} 项",
)
OTHER_REQUEST = Message(
    "the summary has {name} {told}, its request has {asked}",
    "汇总的 {name} 为 {told}，而其请求中为 {asked}",
)
NO_PARTS = Message("the summary has {count} parts", "汇总的 parts 为 {count}")
UNKNOWN_DEVICE = Message(
    "no line tells of the device of the summary, {device}", "汇总的设备不见于各行：{device}"
)
FEWER_DECLARED = Message(
    "the summary has {known} of {declared} declared cells",
    "已声明 {declared} 个单元，汇总只有 {known} 个",
)
MORE_SELECTED = Message(
    "the summary has {selected} of {declared} cells selected",
    "汇总选中了 {selected} 个单元，而只有 {declared} 个",
)
NO_COVERAGE = Message(
    "the summary has no coverage of {cell}, of which lines show levels",
    "汇总没有 {cell} 的覆盖情况，而有行体现其水平",
)
NOT_MET = Message(
    "the coverage of {cell}: {what} is told as met, and no line shows it",
    "{cell} 的覆盖情况：记 {what} 为已覆盖，而没有一行体现它",
)
MORE_THAN_SHOWN = Message(
    "the coverage of {cell}: {told} combinations are told as shown, the lines show {shown}",
    "{cell} 的覆盖情况：记 {told} 个组合为已体现，而各行体现 {shown} 个",
)

# What is in the files.
WRITTEN_BY_NO_RUN = Message(
    "{file} holds what no run writes: {error}", "{file} 的内容不是运行所能写出的：{error}"
)
NO_JSON = Message("{file} is no JSON: {error}", "{file} 不是 JSON：{error}")
NO_EVIDENCE = Message("{file} is not the evidence of a run", "{file} 不是一次运行的证据")
SCHEMA_NO_NUMBER = Message(
    "{file} has schema {schema}, which is no number", "{file} 的 schema 为 {schema}，不是数字"
)
LINE_OF_SCHEMA = Message(
    "has schema {schema}; this version reads {known}", "schema 为 {schema}，本版本只读 {known}"
)
