"""A person at the real Arrow: keys and clicks go to its window on a virtual screen, and pictures of it come back."""

import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import pymupdf

_HERE = Path(__file__).parent.resolve()
# Arrow draws in software there.
PATIENCE_S = 300
SIZE = (1440, 900)

Color = tuple[int, int, int]


@dataclass
class Window:
    """Arrow's window, as large as the screen.

    Attributes:
        process: The virtual screen with what runs on it.
        folder: Where pictures are put.
        prefix: What paths of this machine have before them there.
    """

    process: "subprocess.Popen[str]"
    folder: Path
    prefix: str = "/host"

    def do(self, *words: str) -> None:
        """Runs one command on the screen and waits for its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(quote(word) for word in words) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line == "done\n":
                return
        raise RuntimeError(f"the screen is gone: {words}")

    def press(self, *keys: str) -> None:
        """Presses keys, such as `ctrl+l`."""
        self.do("xdotool", "key", *keys)

    def click(self, x: int, y: int) -> None:
        """Clicks there."""
        self.do("xdotool", "mousemove", str(x), str(y), "sleep", "0.2", "click", "1")

    def write(self, text: str) -> None:
        """Types a message, the cursor being in the panel's field first."""
        self.press("ctrl+l")
        self.do("xdotool", "type", "--delay", "20", text)

    def fill_screen(self) -> None:
        """Makes the window as large as the screen, once it is there."""
        self.do("xdotool", "search", "--sync", "--name", "Arrow", "windowsize", *map(str, SIZE), "windowmove", "0", "0")

    def picture(self, name: str = "now") -> pymupdf.Pixmap:
        """What is to be seen, also in the file of that name."""
        path = self.folder / f"{name}.png"
        self.do("import", "-window", "root", f"{self.prefix}{path}")
        return pymupdf.Pixmap(str(path))

    def until(self, shows: Callable[[pymupdf.Pixmap], bool], what: str) -> None:
        """Looks until the picture shows it."""
        late = threading.Event()
        timer = threading.Timer(PATIENCE_S, late.set)
        timer.start()
        try:
            while not shows(self.picture()):
                if late.is_set():
                    raise TimeoutError(f"{what} is not to be seen: {self.folder / 'now.png'}")
        finally:
            timer.cancel()


def count(picture: pymupdf.Pixmap, color: Color, area: tuple[int, int, int, int]) -> int:
    """How many of every fourth pixel of an area (left, top, right, bottom) have nearly this colour."""
    left, top, right, bottom = area
    pixels = (picture.pixel(x, y) for x in range(left, right, 4) for y in range(top, bottom, 4))
    return sum(all(abs(a - b) < 24 for a, b in zip(pixel[:3], color, strict=True)) for pixel in pixels)


@contextmanager
def shown(tools: Path, program: Path, folder: Path, work_dir: Path) -> Generator[Window]:
    """Arrow in a window, until the end of the block."""
    config = folder / "config"
    config.mkdir()
    seen = [f"/host{path}" for path in (program, config, work_dir, folder / "output.txt")]
    command = [str(tools / "screen"), str(_HERE / "window.sh"), *seen]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Window(process, folder)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(PATIENCE_S)
