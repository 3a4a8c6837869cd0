"""What is wrong with a request."""

from conformance.catalogue.message import Message

NOT_ALLOWED = Message("{parameter} is {value}: {rule}", "{parameter} 为 {value}：{rule}")
ALLOWED = Message("allowed: {names}", "允许：{names}")
ALLOWED_MEANT = Message("allowed: {names}; did you mean {near}?", "允许：{names}；是否指 {near}？")
WORDS = Message("allowed: words, with and, or, not between them", "允许：词，其间可用 and、or、not")
