"""In which order a sum is added, as it was found out."""

from conformance.catalogue.message import Message

FOUND = Message("{operator}, {dtypes}: {orders}", "{operator}，{dtypes}：{orders}")
ORDER = Message("{order} (K={slots})", "{order}（K={slots}）")
ORDER_IN = Message(
    "{order} in {accumulate} (K={slots})", "{order}，以 {accumulate} 累加（K={slots}）"
)
REMARK = Message("K={slots}: {remark}", "K={slots}：{remark}")
UNRECOVERABLE = Message("unrecoverable", "无法还原")
NO_ANSWER = Message("no answer", "没有结果")
NO_ADDITION = Message("no addition", "无累加")
NOT_AS_DECLARED = Message("the record declares another order", "记录声明的是另一顺序")

OTHER_BITS = Message(
    "the additions form the tree {tree}, but of {columns} random columns additions rounded to"
    " nearest in that order do not give the bits of: {counted}",
    "累加树为 {tree}，但在 {columns} 个随机列中，按该顺序就近舍入与实际比特不符者：{counted}",
)
COUNTED = Message("{count} in {format}", "以 {format} 累加时 {count} 列")
NO_COUNT = Message(
    "with {mask} in slot {low}, its negative in slot {high} and {unit} elsewhere the sum is {sum},"
    " which counts no slots from 0 to {most}",
    "槽 {low} 置 {mask}、槽 {high} 置其相反数、其余置 {unit} 时和为 {sum}，"
    "不对应 0 至 {most} 之间的任何槽数",
)
NO_TREE = Message(
    "every pair of slots meets, but no tree of two-operand additions brings them together in the"
    " numbers counted: more than two values are added at once, or the order changes from column to"
    " column",
    "每对槽都会相加，但没有由两两相加构成的树与所得计数相符：一次累加了多于两个值，或顺序随列而变",
)

MORE_LINES = Message("... and {count} more lines", "... 另有 {count} 行")
SUM = Message("sum", "和")
SUM_THEN = Message("sum, then + {terms}", "和，再 + {terms}")
