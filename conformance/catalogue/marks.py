"""Marks between the parts of a sentence, and words for few of many."""

from conformance.catalogue.message import Message

COMMA = Message(", ", "，")
OR = Message(" or ", " 或 ")
SEMICOLON = Message("; ", "；")
FULL_STOP = Message(".", "。")
NAMES = Message("{names}", "{names}")
AND_MORE = Message("{names} and {count} more", "{names}，另有 {count} 项")
NONE = Message("none", "无")
