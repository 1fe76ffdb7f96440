"""A document's bytes to pages to passages to something that can be searched."""

import lazy_loader

# Loaded as they are used: a command that only talks to a server needs few of them. Their names are in the stub.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
