"""Mistakes of a sum: its coefficients, and how it rounds and adds."""

from conformance.catalogue.message import Message

IGNORED = Message("the coefficients are ignored", "忽略了系数")
IGNORED_OF_TENSOR = Message(
    "the coefficients of what comes from {tensor} are ignored", "忽略了来自 {tensor} 的项的系数"
)
IGNORED_OF_TENSOR_ALONE = Message(
    "the coefficients of what comes from {tensor} are ignored where the slot has no row of {first}",
    "槽没有 {first} 的行时忽略了来自 {tensor} 的项的系数",
)
IGNORED_OF_SLOT = Message("the coefficient of slot {slot} is ignored", "忽略了槽 {slot} 的系数")
IGNORED_OF_FIRST = Message(
    "the coefficient of the first slot that adds a row is ignored", "忽略了第一个有效槽的系数"
)
OF_NEXT_SLOT = Message("every slot has the coefficient of the next one", "每个槽用了下一个槽的系数")
OF_SLOT_BEFORE = Message(
    "every slot has the coefficient of the one before", "每个槽用了前一个槽的系数"
)
OF_FIRST_PART = Message(
    "slots from {slot} on have the coefficients of the first ones",
    "自槽 {slot} 起用了最前各槽的系数",
)
OF_ONE_SLOT = Message(
    "every slot has the coefficient of slot {slot}", "每个槽都用了槽 {slot} 的系数"
)
OF_NEXT_ROW = Message("every row has the coefficients of the next one", "每行用了下一行的系数")
OF_ROW_BEFORE = Message("every row has the coefficients of the one before", "每行用了前一行的系数")
OF_FIRST_ROW = Message("every row has the coefficients of the first", "每行都用了第一行的系数")
SLOT_BY_SLOT = Message(
    "the coefficients are read slot by slot", "系数的读取次序颠倒了行与槽（逐槽读取）"
)
COLUMN_BY_COLUMN = Message(
    "the coefficients are read column by column", "系数的读取次序颠倒了行与槽（逐列读取）"
)
NEGATIVE_AS_ZERO = Message("negative coefficients count as zero", "负系数被当作零")
SIGN_LOST = Message("the sign of coefficients is lost", "系数的符号丢失")
TWICE = Message("every term is weighed twice", "每项乘了两次系数")
NAN_AS_ZERO = Message("coefficients that are NaN count as zero", "为 NaN 的系数被当作零")
ROUNDED = Message("the coefficients are rounded to {format}", "系数被舍入到 {format}")
RETYPED = Message(
    "the coefficients, {stored}, are read as {format}", "系数类型为 {stored}，却按 {format} 读取"
)

SUM_TRUNCATED = Message(
    "the sum is truncated, not rounded, to storage", "和按截断而非舍入存为输出类型"
)
TIES_AWAY = Message(
    "ties are rounded away from zero, not to even", "恰在中间的值远离零舍入，而非舍入到偶数"
)
ADDITIONS_TRUNCATED = Message(
    "every addition is truncated, not rounded, to {format}", "每次加法按截断而非舍入到 {format}"
)
FUSED = Message(
    "a product is not rounded before it is added (fused)", "乘积在累加前未舍入（融合乘加）"
)
NEXT_ABOVE = Message(
    "every value is the next one above the right one", "每个值都是正确值上方的相邻值"
)
NEXT_BELOW = Message(
    "every value is the next one below the right one", "每个值都是正确值下方的相邻值"
)
NEXT_FROM_ZERO = Message(
    "every value is the next one away from zero from the right one",
    "每个值都是正确值远离零一侧的相邻值",
)
NEXT_TO_ZERO = Message(
    "every value is the next one toward zero from the right one",
    "每个值都是正确值靠近零一侧的相邻值",
)
TERMS_ROUNDED = Message(
    "the terms are rounded to {format} before they are added", "各项在累加前被舍入到 {format}"
)
PRODUCTS_ROUNDED = Message(
    "the products are rounded to {format} before they are added", "乘积在累加前被舍入到 {format}"
)
ADDED_IN = Message(
    "the terms are added up in {format}, not in {accumulate}",
    "各项以 {format} 而非 {accumulate} 累加",
)
ADDED_AND_WEIGHED_IN = Message(
    "the terms are added up in {format}, not in {accumulate}, their coefficients rounded to"
    " {format}",
    "各项以 {format} 而非 {accumulate} 累加，其系数被舍入到 {format}",
)
SUM_ROUNDED = Message("the sum is rounded to {format} on its way", "和在途中被舍入到 {format}")
SOURCE_FLUSHED = Message(
    "subnormals of the source, {format}, count as zero", "源的次正规数（{format}）被当作零"
)
OUTPUT_FLUSHED = Message(
    "subnormals of the output, {format}, become zero", "输出的次正规数（{format}）被刷为零"
)
BOTH_FLUSHED = Message(
    "subnormals of the source and of the output, {format}, become zero",
    "源与输出的次正规数（{format}）被刷为零",
)
PRODUCTS_FLUSHED = Message("subnormal products count as zero", "次正规的乘积被当作零")
COEFFICIENTS_FLUSHED = Message("subnormal coefficients count as zero", "次正规的系数被当作零")
SOURCE_RETYPED = Message(
    "{source} is read as {other}, and written so", "{source} 被按 {other} 读取并写出"
)
