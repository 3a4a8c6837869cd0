"""Marks between the parts of a sentence."""

from conformance.catalogue.message import Message

SEMICOLON = Message("; ", "；")
