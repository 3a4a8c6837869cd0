"""What is guessed of wrong outputs, in Chinese. Longer phrases come before those that they hold."""

from __future__ import annotations

from conformance.text.chinese.verdicts import Phrase

BESIDE = {
    "above": "上方",
    "below": "下方",
    "away from zero from": "远离零一侧",
    "toward zero from": "靠近零一侧",
}

PHRASES: tuple[Phrase, ...] = (
    (
        r"ties are broken otherwise: only elements of equal (\S+) changed places",
        r"相等键的先后处理不同：仅 \1 相等的元素互换了位置",
    ),
    (r"the right values in another order", r"数值正确，但顺序不同"),
    (r"each element holds its own place, no index", r"每个元素为其自身位置而非索引"),
    (
        r"counts of each, where running sums of the counts belong",
        r"应为计数的累加和处写入了各自的计数",
    ),
    (
        r"running sums of the counts, where counts of each belong",
        r"应为各自计数处写入了计数的累加和",
    ),
    (r"running sums, each without its own count", r"累加和均未计入自身的计数"),
    (r"zeros lie where values belong", r"应有数值处为零"),
    (r"values lie where zeros belong", r"应为零处有数值"),
    (r"only the low (\d+) bits were moved", r"仅搬运了低 \1 位"),
    (
        r"wrong elements hold what belongs (\d+) columns (after|before) them",
        lambda m: f"错误元素为其{'后' if m[2] == 'after' else '前'}第 {m[1]} 列的内容",
    ),
    (r"; so do (\d+) more rows", r"；另有 \1 行亦然"),
    (
        r"nothing is added in the wrong rows, (\d+) of them, which are zero",
        r"共 \1 个错误行未累加任何项，其值为零",
    ),
    (
        r"slot (\d+) of row (\d+) reads (.+?), not (\w+\[[\d, ]+\]|row \d+ of \w+)",
        r"第 \2 行的槽 \1 读取了 \3 而非 \4",
    ),
    (r"slot (\d+) of row (\d+) is left out", r"第 \2 行漏加槽 \1"),
    (r"slot (\d+) of row (\d+) is added twice", r"第 \2 行的槽 \1 被加了两次"),
    (r"slot (\d+) of row (\d+) has no coefficient", r"第 \2 行的槽 \1 未乘系数"),
    (r"row (\d+) has the coefficients of row (\d+)", r"第 \1 行用了第 \2 行的系数"),
    (r"row (\d+) still holds the sum of row (\d+) below its own", r"第 \1 行仍留有第 \2 行之和"),
    (r"row (\d+) holds the sum of row (\d+)", r"第 \1 行为第 \2 行之和"),
    (
        r"row (\d+) reads the rows of (?:(\w+) of )?row (\d+)",
        lambda m: f"第 {m[1]} 行读取了第 {m[3]} 行的{f' {m[2]} ' if m[2] else ''}源行",
    ),
    (r"row (\d+) adds row (\d+) where no row must be added", r"第 \1 行在不应累加处加了第 \2 行"),
    (
        r"row (\d+) is that of (\d+) columns (after|before) the right ones",
        lambda m: f"第 {m[1]} 行为正确列{'后' if m[3] == 'after' else '前'}第 {m[2]} 列的内容",
    ),
    (r"row (\d+) holds what belongs in row (\d+)", r"第 \1 行为第 \2 行的内容"),
    (r"row (\d+) holds row (\d+) of (\w+)", r"第 \1 行为 \3 的第 \2 行"),
    (r"row (\d+) of (\w+) is left out wherever it is named", r"凡引用 \2 第 \1 行处均漏加"),
    (r"(\w+\[[\d, ]+\]) is left out wherever it is named", r"凡引用 \1 处均漏加"),
    (
        r"what comes from (\w+) is left out where the slot has no row of (\w+)",
        r"槽没有 \2 的行时漏加来自 \1 的项",
    ),
    (r"what comes from (\w+) is left out", r"漏加来自 \1 的项"),
    (r"what comes from (\w+) is added twice", r"来自 \1 的项被加了两次"),
    (r"what comes from (\w+) is subtracted", r"来自 \1 的项被减去"),
    (r"all but the last slot that adds a row are left out", r"仅累加了最后一个有效槽"),
    (
        r"the (last|first) slot that adds a row is left out",
        lambda m: f"漏加{'最后' if m[1] == 'last' else '第'}一个有效槽",
    ),
    (
        r"every slot of an (odd|even) number is left out",
        lambda m: f"漏加编号为{'奇' if m[1] == 'odd' else '偶'}数的槽",
    ),
    (r"slots from (\d+) on are left out", r"自槽 \1 起全部漏加"),
    (r"slots before (\d+) are left out", r"槽 \1 之前全部漏加"),
    (
        r"slots from (\d+) on have the coefficients of the first ones",
        r"自槽 \1 起用了最前各槽的系数",
    ),
    (
        r"slots from (\d+) on begin anew: they read the rows of the first ones",
        r"自槽 \1 起读取了最前各槽的行",
    ),
    (
        r"what is read of (\w+) begins anew from slot (\d+) on: rows of the first",
        r"自槽 \2 起又从头读取 \1",
    ),
    (r"slot (\d+) is copied alone, the others are left out", r"仅复制了槽 \1，其余漏加"),
    (r"the sum is doubled", r"和被加倍"),
    (
        r"the coefficients of what comes from (\w+) are ignored where the slot has no row of (\w+)",
        r"槽没有 \2 的行时忽略了来自 \1 的项的系数",
    ),
    (r"the coefficients of what comes from (\w+) are ignored", r"忽略了来自 \1 的项的系数"),
    (r"the coefficient of the first slot that adds a row is ignored", r"忽略了第一个有效槽的系数"),
    (r"the coefficient of slot (\d+) is ignored", r"忽略了槽 \1 的系数"),
    (r"the coefficients are ignored", r"忽略了系数"),
    (r"the coefficients are rounded to (\w+)", r"系数被舍入到 \1"),
    (r"the coefficients, (\w+), are read as (\w+)", r"系数类型为 \1，却按 \2 读取"),
    (r"the coefficients are read (slot by slot|column by column)", r"系数的读取次序颠倒了行与槽"),
    (r"coefficients that are NaN count as zero", r"为 NaN 的系数被当作零"),
    (r"negative coefficients count as zero", r"负系数被当作零"),
    (r"the sign of coefficients is lost", r"系数的符号丢失"),
    (r"every term is weighed twice", r"每项乘了两次系数"),
    (r"every slot has the coefficient of the next one", r"每个槽用了下一个槽的系数"),
    (r"every slot has the coefficient of the one before", r"每个槽用了前一个槽的系数"),
    (r"every slot has the coefficient of slot (\d+)", r"每个槽都用了槽 \1 的系数"),
    (r"every row has the coefficients of the next one", r"每行用了下一行的系数"),
    (r"every row has the coefficients of the one before", r"每行用了前一行的系数"),
    (r"every row has the coefficients of the first", r"每行都用了第一行的系数"),
    (
        r"(rows|slots) and (slots|rows) of the index are exchanged: it reads rows of others",
        r"索引的槽与行互换",
    ),
    (r"rows of (\w+) are read in place of those of (\w+)", r"应读 \2 的行，却读取了 \1 的行"),
    (
        r"every (row|slot) reads the rows? of (\w+) of (its own number|row 0|slot 0)",
        lambda m: (
            f"每{'行' if m[1] == 'row' else '个槽'}都按{ {'its own number': '自身编号', 'row 0': '第 0 行', 'slot 0': '槽 0'}[m[3]] }读取 {m[2]} 的行"
        ),
    ),
    (r"every row reads the rows of row 0", r"每行都读取了第 0 行的源行"),
    (r"every row reads the rows of the last row", r"每行都读取了最后一行的源行"),
    (r"every slot reads the row of the next slot", r"每个槽读取了下一个槽的行"),
    (r"every slot reads the row of the slot before", r"每个槽读取了前一个槽的行"),
    (r"the index is narrowed: it wraps after (\d+) bits", r"索引被截窄：在 \1 位处回绕"),
    (
        r"the index is narrowed to (\d+) bits with a sign: it wraps, and what is negative then is left out",
        r"索引被截窄为带符号的 \1 位：回绕后为负者被漏加",
    ),
    (r"a dropped slot is read as the last row", r"被丢弃的槽读取了最后一行"),
    (
        r"a row holds the sum of the one before, too, which is still there",
        r"每行另含前一行残留的和",
    ),
    (
        r"a row to which nothing is added still holds the sum of one before",
        r"没有任何项的行仍留有前面某行之和",
    ),
    (
        r"the (terms|products) are rounded to (\w+) before they are added",
        lambda m: f"{'各项' if m[1] == 'terms' else '乘积'}在累加前被舍入到 {m[2]}",
    ),
    (r", their coefficients rounded to (\w+)", r"，其系数被舍入到 \1"),
    (r"the sum is rounded to (\w+) on its way", r"和在途中被舍入到 \1"),
    (r"a product is not rounded before it is added \(fused\)", r"乘积在累加前未舍入（融合乘加）"),
    (
        r"subnormals of the source and of the output, (\w+), become zero",
        r"源与输出的次正规数（\1）被刷为零",
    ),
    (r"subnormals of the source, (\w+), count as zero", r"源的次正规数（\1）被当作零"),
    (r"subnormals of the output, (\w+), become zero", r"输出的次正规数（\1）被刷为零"),
    (r"subnormal products count as zero", r"次正规的乘积被当作零"),
    (r"subnormal coefficients count as zero", r"次正规的系数被当作零"),
    (r"(\w+) is read as (\w+), and written so", r"\1 被按 \2 读取并写出"),
    (r"guess: ", r"推测："),
    (
        r"\(explains all (\d+) wrong elements looked at and leaves (\d+) right ones right\)",
        r"（可解释抽查的全部 \1 个错误元素，\2 个正确元素亦不受影响）",
    ),
    (
        r"\(explains all (\d+) wrong elements looked at\)",
        r"（可解释抽查的全部 \1 个错误元素）",
    ),
    (r"\(all (\d+) wrong rows\)", r"（符合全部 \1 个错误行）"),
    (r"\(all (\d+) wrong elements\)", r"（符合全部 \1 个错误元素）"),
    (
        r"\((\d+) of (\d+) wrong coded elements agree\)",
        r"（\2 个带地址编码的错误元素中 \1 个相符）",
    ),
    (
        r"never written: the device found (\d+) untouched, and the wrong elements that were looked at, (\d+), hold the bits (\w+)",
        r"未写入：设备侧检测到 \1 个元素未被写过，抽查的 \2 个错误元素的位模式均为 \3",
    ),
    (
        r"never written: the wrong elements hold what was there before the call",
        r"未写入：错误元素仍为调用前的内容",
    ),
    (
        r"memory that nobody wrote was read or left, or something that must not be read was added: all (\d+) wrong elements looked at are NaN though their terms are finite",
        r"读取或留下了未写过的内存，或累加了不应读取的内容：抽查的 \1 个错误元素均为 NaN，而各项均为有限值",
    ),
    (
        r"row r holds what belongs in row r ([+-]) (\d+)",
        r"第 r 行写入了第 r\1\2 行的内容（整体错位）",
    ),
    (r"row r holds the row that belongs as far from the end", r"各行前后颠倒"),
    (
        r"rows lie as \[(\d+), (\d+)\] where they must as \[(\d+), (\d+)\]",
        r"行按 [\1, \2] 排列，应按 [\3, \4] 排列",
    ),
    (r"all wrong rows hold what belongs in row (\d+)", r"所有错误行均为第 \1 行的内容"),
    (r"the right rows in another order", r"行的内容正确，但顺序不同"),
    (
        r"the inverse permutation: argsort and rank are exchanged",
        r"得到的是逆排列：argsort 与 rank 互换",
    ),
    (
        r"each is (\d+) too (large|small)",
        lambda m: f"每个值都{'大' if m[2] == 'large' else '小'} {m[1]}",
    ),
    (r"the low (\d+) bits of each", r"只有每个值的低 \1 位"),
    (r"signalling NaNs were made quiet", r"信令 NaN 变为静默 NaN"),
    (r"every NaN became (\S+)", r"所有 NaN 变为 \1"),
    (r"minus zero became plus zero", r"负零变为正零"),
    (r"subnormals were flushed to zero", r"次正规数被刷为零"),
    (r"nothing is added, the output is zero", r"未累加任何项，输出为零"),
    (r"every addition is truncated, not rounded, to (\S+)", r"每次加法按截断而非舍入到 \1"),
    (
        r"every value is the next one (above|below|away from zero from|toward zero from) the right one",
        lambda m: f"每个值都是正确值{BESIDE[m[1]]}的相邻值",
    ),
    (r"slot (\d+) is left out", r"漏加槽 \1"),
    (r"slot (\d+) is added twice", r"槽 \1 被加了两次"),
    (r"the terms are added up in (\S+), not in (\w+)", r"各项以 \1 而非 \2 累加"),
    (r", from left to right", r"，自左向右"),
    (r"one slot too many is added, the first of the next row", r"多加了一个槽：下一行的第一个槽"),
    (
        r"the index is taken for its inverse \(argsort for rank\)",
        r"索引被当作其逆排列（argsort 与 rank 互换）",
    ),
    (r"a dropped slot is read as row 0", r"被丢弃的槽读取了第 0 行"),
    (
        r"every slot reads the row (after|before) its own",
        lambda m: f"每个槽读取了其{'后' if m[1] == 'after' else '前'}一行",
    ),
    (r"slots and rows of the index are exchanged", r"索引的槽与行互换"),
    (r"every slot reads the row of slot 0", r"每个槽都读取了槽 0 的行"),
    (r"every row holds the sum of the next one", r"每行为下一行之和"),
    (r"every row holds the sum of the one before", r"每行为上一行之和"),
    (r"the rows come in reverse", r"行顺序颠倒"),
)
