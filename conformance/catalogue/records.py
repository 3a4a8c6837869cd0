"""What is said of records of operators: what one holds, and what is wrong with one."""

from conformance.catalogue.message import Message

CALLED_AS = Message("  called as  {names}", "  调用名称   {names}")
ON_ROUTE = Message("{name} (route {route})", "{name}（调用路径 {route}）")
UNREACHED = Message("  torch_npu  not reachable: {reason}", "  torch_npu  无法到达：{reason}")
THROUGH_TORCH = Message("  torch_npu  {clause}", "  torch_npu  {clause}")
PRODUCTS = Message("  products   {names}", "  支持产品   {names}")
MODES = Message("  modes      {names}", "  所有模式   {names}")
DTYPES = Message("  dtypes     {names}", "  数据类型   {names}")
ARGUMENTS = Message("  arguments  {names}", "  参数       {names}")
ARGUMENT = Message("{name} ({type})", "{name}（{type}）")
TENSOR = Message("{name} ({role}, {dtypes})", "{name}（{role}，{dtypes}）")
OPTIONAL_TENSOR = Message("{name} ({role}, {dtypes}, optional)", "{name}（{role}，{dtypes}，可选）")
INPUT = Message("input", "输入")
OUTPUT = Message("output", "输出")
DTYPE_OF_CASE = Message("dtype of the case", "用例的数据类型")
OUTPUT_WHEN = Message("{output} ({when})", "{output}（{when}）")
CONTRACT = Message("  contract   {output}: {clause}", "  契约       {output}：{clause}")
ORDER = Message("             {output}: {clause}", "             {output}：{clause}")
MODE = Message("  mode       {mode}{where}: {clause}", "  模式       {mode}{where}：{clause}")
ROUTES_ONLY = Message(" (on route {routes} only)", "（仅调用路径 {routes}）")
DTYPES_ONLY = Message(" (in {dtypes} only)", "（仅 {dtypes}）")
ON_NPU = Message(" (on an NPU {versions})", "（NPU 上{versions}）")
NEWER = Message(
    "  versions   {what}: on an NPU {versions}: {clause}",
    "  版本       {what}：NPU 上{versions}：{clause}",
)
STATUSES = Message(
    "  versions   {count} {count:rejected call|rejected calls}: on an NPU {versions}: {clause}",
    "  版本       {count} 个应被拒绝的调用：NPU 上{versions}：{clause}",
)
TARGET = Message("  target     {product}: {target}", "  产品       {product}：{target}")
SUPPORT = Message("{modes} {support}: {clause}", "{modes}（{support}）：{clause}")
SUPPORT_STATUS = Message(
    "{modes} {support} with {status}: {clause}", "{modes}（{support}，状态码 {status}）：{clause}"
)
ALL_MODES = Message("all modes", "所有模式")
SUPPORTED = Message("supported", "支持")
REJECTED = Message("rejected", "拒绝")
IGNORED = Message("ignored", "忽略")
UNAVAILABLE = Message("unavailable", "不可用")
UNDEFINED = Message("undefined", "未定义")
REFUSED = Message("  rejected   {count} calls", "  应被拒绝   {count} 个调用")
REFUSED_OF = Message(
    "  rejected   {count} calls ({kinds})", "  应被拒绝   {count} 个调用（{kinds}）"
)
OF_KIND = Message("{count} {kind}", "{count} 个依据{kind}")
EXAMPLES = Message("  examples   {count}", "  示例       {count}")
SOURCES = Message("  sources    {sources}", "  来源       {sources}")
CLAUSE = Message("{text} [{origin}]", "{text} [{origin}]")

RECORD = Message("record", "算子记录")
DIRECTORY = Message("operators directory", "算子记录目录")
OPERATOR_IN = Message("operator in {path}", "{path} 中的算子")
TWICE = Message(
    "an operator has one record, but {path} holds it too", "一个算子只有一条记录，但 {path} 也有它"
)
NO_SUCH = Message("no such record; {choice}", "没有该记录；{choice}")
NO_RECORD = Message("holds no record (a .py file)", "其中没有算子记录（.py 文件）")
NO_FOLDER = Message("is no folder", "不是目录")
NO_PLAIN_FILE = Message("is no plain file", "不是普通文件")
NOT_IMPORTED = Message("cannot be imported as Python", "无法作为 Python 导入")
IMPORT_FAILS = Message("fails to import: {error}", "导入失败：{error}")
NO_OPERATOR = Message(
    "its attribute {attribute} must be a conformance.record.operator.Operator",
    "其属性 {attribute} 必须是 conformance.record.operator.Operator",
)
SILENT_TARGETS = Message(
    "its targets say nothing of its product {products}", "其 targets 未说明其产品 {products}"
)
DTYPES_OF_A_MODE = Message(
    "its mode {mode} has the data types {dtypes}; they must be among its own, {known}",
    "其模式 {mode} 的数据类型 {dtypes} 不在其自身的数据类型 {known} 之中",
)
OF_ANOTHER = Message(
    "its {kind} {name} is a case of operator {other}; it must be one of {operator}",
    "其{kind} {name} 是算子 {other} 的用例，必须是 {operator} 的用例",
)
SAME_NAME = Message(
    "{count} calls of kind {kind} are called {name}: a run tells calls apart by their names",
    "有 {count} 个{kind}都叫 {name}：运行按名称区分调用",
)
EXAMPLE = Message("example", "示例")
REJECTION = Message("rejection", "应被拒绝的调用")
QUARANTINE = Message("quarantine", "隔离观察的调用")
