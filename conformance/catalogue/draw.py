"""What profiles are for."""

from conformance.catalogue.message import Message

SMOKE = Message("three minutes on two cores", "双核上三分钟")
GATE = Message("25 minutes on two cores", "双核上 25 分钟")
NIGHTLY = Message("new cases for hours", "数小时的新用例")
