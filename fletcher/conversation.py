"""`fletcher chat FILE`: a conversation at the terminal."""

from pathlib import Path
from typing import Any

from fletcher import console
from fletcher.errors import CommandError
from fletcher.turns import FileTurns

_ENDS = ("exit", "quit", "/exit", "/quit")
_LONGEST_HISTORY = 20  # exchanges that the next message is said with


def converse(turns: FileTurns, file: Path) -> None:
    """Messages from standard input until it ends; Ctrl-C stops a turn, or drops the line that is being typed."""
    console.err.print(f"About {file}. Ctrl-C stops a turn, Ctrl-D ends; 'undo' takes the last turn back.", style="dim")
    history: list[dict[str, str]] = []
    while (message := _next_line()) is not None:
        if message in _ENDS:
            break
        if message and (output := _turn(turns, message, history)) is not None:
            history = [*history, {"message": message, "output": output}][-_LONGEST_HISTORY:]


def _next_line() -> str | None:
    try:
        return console.out.input("[bold]> [/]").strip()
    except KeyboardInterrupt:
        console.out.print()
        return ""
    except EOFError:
        console.out.print()
        return None


def _turn(turns: FileTurns, message: str, history: list[dict[str, str]]) -> str | None:
    """What was answered; None if the turn was stopped or failed, which is said."""
    try:
        answer = turns.say(message, _Voice().hear, history=history)
    except KeyboardInterrupt:
        console.out.print("\nStopped; the file is as it was.", style="yellow")
        return None
    except CommandError as error:
        console.err.print(str(error), markup=False, style="red")
        return None
    console.print_turn(answer, conversing=True)
    return answer["text"]


class _Voice:
    """Shows the text of one turn while it comes."""

    def __init__(self) -> None:
        self._is_open = False

    def hear(self, event: str, data: dict[str, Any]) -> None:
        if event == "text":
            self._is_open = True
            console.out.print(data["text"], markup=False, end="", soft_wrap=True)
        elif event == "text_end":
            console.out.print("" if self._is_open else data["text"], markup=False)
            self._is_open = False
        elif event == "operation" and data["success"]:
            console.out.print(f"  {data['function']}", markup=False, style="dim")
