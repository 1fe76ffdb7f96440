"""Passages to the few that matter for a question, cited; and a document's pages.

What `corpora` hands on through a retriever is named here as well, for those who may not import `corpora`.
"""

import lazy_loader

# Loaded as they are used: a command that only talks to a server needs few of them. Their names are in the stub.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
