"""Every sentence that a person sees, in English and Chinese, a module for each room that says it.

The id of a message is its module and its name there, in small letters.
"""

from conformance.catalogue import (
    advice,
    bundle,
    case,
    conduct,
    draw,
    errors,
    failure,
    left_out,
    outcomes,
    plugin,
    record,
    relations,
    session,
    verdict,
)
from conformance.catalogue.message import KNOWN, Message

MODULES = (
    advice,
    bundle,
    case,
    conduct,
    draw,
    errors,
    failure,
    left_out,
    outcomes,
    plugin,
    record,
    relations,
    session,
    verdict,
)

for _module in MODULES:
    for _name, _message in vars(_module).items():
        if isinstance(_message, Message):
            _message.id = f"{_module.__name__.rpartition('.')[2]}.{_name.lower()}"
            KNOWN[_message.id] = _message
