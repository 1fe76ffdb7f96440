"""`fletcher chat FILE`: a conversation at the terminal."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from corpora import is_storable
from fletcher import console
from fletcher.errors import CommandError
from fletcher.turns import FileTurns

_ENDS = ("exit", "quit", "/exit", "/quit")
_LONGEST_HISTORY = 20  # exchanges that the next message is said with
_WORDS = re.compile(r"( +|\n)")


def converse(turns: FileTurns, file: Path) -> None:
    """Messages from standard input until it ends; Ctrl-C stops a turn, or drops the line that is being typed."""
    said = f"About {file}. Ctrl-C stops a turn, Ctrl-D ends; 'undo' takes the last turn back."
    console.err.print(said, markup=False, style="dim")
    history: list[dict[str, str]] = []
    while (message := _next_line()) is not None:
        if message in _ENDS:
            break
        if message:
            output = _turn(turns, message, history)
            if output is not None:
                history = [*history, {"message": message, "output": output}][-_LONGEST_HISTORY:]
            console.out.print()


def _next_line() -> str | None:
    try:
        # The reader's own prompt: it is there once the terminal leaves it to the reader to show what is typed.
        line = input("> ").strip()
    except KeyboardInterrupt:
        console.out.print()
        return ""
    except EOFError:
        console.out.print()
        return None
    if not is_storable(line):
        console.err.print("That is not UTF-8. Set the terminal to UTF-8, and type it again.", style="red")
        return ""
    return line


def _turn(turns: FileTurns, message: str, history: list[dict[str, str]]) -> str | None:
    """What was answered; None if the turn was stopped or failed, which is said."""
    try:
        answer = turns.say(message, _Voice().hear, history=history)
        console.print_turn(answer, conversing=True)
    except KeyboardInterrupt:
        said = "Stopped too late; the file has what was done." if turns.stop() else "Stopped; the file is as it was."
        console.out.print(f"\n{said}", style="yellow")
        return None
    except CommandError as error:
        console.err.print(str(error), markup=False, style="red")
        return None
    return answer["text"]


class _Voice:
    """Shows the text of one turn while it comes, a word at a time, so that none is broken at the end of a line.

    Of the operations, each kind once: a scene is made of dozens, and what they changed is told at the end.
    """

    def __init__(self) -> None:
        self._column = 0
        self._begun = ""  # of a word whose end is still to come
        self._is_open = False
        self._operations: set[str] = set()

    def hear(self, event: str, data: dict[str, Any]) -> None:
        if event == "text":
            self._is_open = True
            *whole, self._begun = _WORDS.split(self._begun + data["text"])
            self._write(whole)
        elif event == "text_end":
            self._write([self._begun] if self._is_open else _WORDS.split(data["text"]))
            self._begun, self._column, self._is_open = "", 0, False
            console.out.print()
        elif event == "operation" and data["success"] and data["function"] not in self._operations:
            self._operations.add(data["function"])
            console.out.print(f"  {data['function']} ...", markup=False, style="dim")

    def _write(self, words: Iterable[str]) -> None:
        for word in words:
            width = cell_len(word)
            if self._column + width > console.out.width and self._column:
                console.out.print()
                self._column = 0
                word = word.lstrip(" ")
            console.out.print(word, markup=False, end="", soft_wrap=True)
            self._column = 0 if word == "\n" else self._column + cell_len(word)
