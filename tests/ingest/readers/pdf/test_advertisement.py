"""No library says anything on standard output, where a command's result is."""

import subprocess
import sys

_PROGRAM = """
import pymupdf
from ingest.readers import read
with pymupdf.open() as document:
    page = document.new_page()
    for at in range(4):
        page.draw_line((72, 72 + 40 * at), (312, 72 + 40 * at))
        page.draw_line((72 + 80 * at, 72), (72 + 80 * at, 192))
    for row in range(3):
        for column in range(3):
            page.insert_text((80 + 80 * column, 96 + 40 * row), f"cell {row} {column}")
    extracted = read("table.pdf", document.tobytes())
assert "cell 2 2" in str(extracted)
"""


def test_a_page_with_a_ruled_table_is_read_without_a_word() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == ""
