"""What is wrong with a request."""

from conformance.catalogue.message import Message

NOT_ALLOWED = Message("{parameter} is {value}: {rule}", "{parameter} 为 {value}：{rule}")
ALLOWED = Message("allowed: {names}", "允许：{names}")
ALLOWED_MEANT = Message("allowed: {names}; did you mean {near}?", "允许：{names}；是否指 {near}？")
