import ctypes
import subprocess
import sys

import pytest

_GLIBC = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallinfo2")

# After a large array was freed, glibc puts the next ones among everything else; this says how much it has not.
_MAPPED_BYTES = """
import ctypes, sys
from retrieval import keep_little_memory

class MallInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd a b c d e".split()]

if "keep_little" in sys.argv:
    keep_little_memory()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
libc.mallinfo2.restype = MallInfo
libc.free(libc.malloc(20 << 20))
before = libc.mallinfo2().hblkhd
kept = libc.malloc(2 << 20)
print(libc.mallinfo2().hblkhd - before)
"""


@pytest.mark.skipif(not _GLIBC, reason="only glibc (2.33) keeps what is freed, and says so")
@pytest.mark.parametrize("keeps_little", [True, False])
def test_large_blocks_go_back_to_the_system_when_they_are_freed(keeps_little: bool) -> None:
    command = [sys.executable, "-c", _MAPPED_BYTES, *(["keep_little"] if keeps_little else [])]
    mapped = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert (mapped >= 2 << 20) is keeps_little


_RESIDENT = """
from pathlib import Path
from retrieval import keep_little_memory
from retrieval.freed_memory import FreedMemory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) << 12

keep_little_memory()
freed = FreedMemory()
"""

# Much is freed in small blocks, with one that is left above them all: so glibc keeps it.
_HELD_BYTES = f"""{_RESIDENT}
for _ in range(2):
    before = resident()
    blocks = [b"." * 50_000 for _ in range(5_000)]
    last = blocks.pop()
    blocks.clear()
    kept = resident() - before
    freed.look()
    print(kept, resident() - before)
"""


@pytest.mark.skipif(not _GLIBC, reason="only glibc (2.33) keeps what is freed, and says so")
def test_what_was_freed_in_small_blocks_goes_back_each_time() -> None:
    told = subprocess.run([sys.executable, "-c", _HELD_BYTES], check=True, capture_output=True, text=True).stdout
    for line in told.splitlines():
        kept, left = map(int, line.split())
        assert kept > 200_000_000
        assert left < 30_000_000


_GARBAGE = f"""{_RESIDENT}
freed.look()
before = resident()
for _ in range(3):
    one = ["." * 100_000_000]
    one.append(one)
    del one
kept = resident() - before
freed.look()
print(kept, resident() - before)
"""


@pytest.mark.skipif(not _GLIBC, reason="only glibc (2.33) keeps what is freed, and says so")
def test_parts_that_know_each_other_go_where_they_are_much() -> None:
    """As the frames of an error that has a long message: few objects, for which Python collects no garbage."""
    told = subprocess.run([sys.executable, "-c", _GARBAGE], check=True, capture_output=True, text=True).stdout
    kept, left = map(int, told.split())
    assert kept > 280_000_000
    assert left < 30_000_000
