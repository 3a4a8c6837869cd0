"""What is wrong with the signature of an operator's record."""

from conformance.catalogue.message import Message

OF_SIGNATURE = Message("signature of {operator}: {problem}", "{operator} 的签名：{problem}")
TWICE = Message("{name} is declared twice", "{name} 声明了两次")
TWO_SIZES = Message("two different sizes are called {name}", "有两个不同的尺寸都叫 {name}")
TIED_TO_NOTHING = Message(
    "size {name} is that of one axis alone: say by which clause it is free",
    "尺寸 {name} 只属于一个轴：请说明依据哪一条款它可以任取",
)
NUMBERS_OF_NOTHING = Message(
    "{name} numbers {size}, which no axis has", "{name} 的值为 {size} 的编号，但没有这样的轴"
)
BESIDE_NOTHING = Message(
    "{name} stands beside {other}, which is no tensor", "{name} 与 {other} 成对，但没有这样的张量"
)
UNCHECKED_ATTRIBUTE = Message(
    "attribute {name} is no size: say its limits, or by which clause it is free",
    "属性 {name} 不是尺寸：请给出它的取值范围，或说明依据哪一条款它可以任取",
)
FUNCTION_OF_NOTHING = Message(
    "size {name} is a function of {argument}, which is no attribute",
    "尺寸 {name} 是 {argument} 的函数，但没有这样的属性",
)
RULE_ABOUT_NOTHING = Message(
    'the rule "{rule}" is about {name}, which is no parameter and no size',
    '规则 "{rule}" 涉及 {name}，但没有这样的参数或尺寸',
)
NO_ATTRIBUTE = Message(
    "mode {mode} fixes {name}, which is no attribute", "模式 {mode} 固定了 {name}，但没有这样的属性"
)
ANOTHER_PARAMETER = Message(
    "mode {mode} has another parameter {name} than the interface",
    "模式 {mode} 的参数 {name} 与接口不同",
)
BROKEN_BY_NOTHING = Message(
    'no call breaks the rule "{rule}": give it another right call, or delete it',
    '没有调用违反规则 "{rule}"：请再给出一个正确的调用，或删去该规则',
)
WITHOUT_RULE = Message(
    "{name}: no rule says what becomes of it ({kind} of {parameter})",
    "{name}：没有规则说明如何处理（{parameter} 的 {kind}）",
)
NOT_RIGHT = Message(
    "a right call does not fit: {kind} of {parameter}",
    "正确的调用与签名不符：{parameter} 的 {kind}",
)
SIZE_NEEDED = Message("{tensor} needs the size {size}", "{tensor} 需要尺寸 {size}")
NO_TENSOR = Message("{name} is no tensor", "{name} 不是张量")
FITS = Message("{name}: a wrong call fits", "{name}：错误的调用与签名相符")
