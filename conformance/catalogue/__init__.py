"""Every sentence that a person sees, in English and Chinese, a module for each subject.

The id of a message is its module and its name there, in small letters.
"""

from importlib import import_module
from pkgutil import iter_modules

from conformance.catalogue.message import KNOWN, Message

MODULES = tuple(import_module(f"{__name__}.{one.name}") for one in iter_modules(__path__))

for _module in MODULES:
    for _name, _message in vars(_module).items():
        if isinstance(_message, Message) and not _message.id:
            _message.id = f"{_module.__name__.rpartition('.')[2]}.{_name.lower()}"
            KNOWN[_message.id] = _message
