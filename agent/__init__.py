"""A message becomes text and operations: the turn, its prompt, its tools and the models."""

import lazy_loader

# Loaded as they are used: what a provider's model needs takes longer to load than all the rest. Names: in the stub.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
