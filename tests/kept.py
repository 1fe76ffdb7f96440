"""What something keeps in memory, told by what it reaches: whatever other threads of this process do is not counted."""

import gc
import sys
from types import FunctionType, ModuleType

_SHARED = (type, ModuleType, FunctionType)


def kept_by(thing: object, besides: object) -> int:
    """All that it reaches, in bytes, without what it has of `besides`."""
    seen, left, size = {id(besides)}, [thing], 0
    while left:
        each = left.pop()
        if id(each) not in seen and not isinstance(each, _SHARED):
            seen.add(id(each))
            size += sys.getsizeof(each)
            left += gc.get_referents(each)
    return size
