"""Hold all conversations: ``python -m tests.real_client ARROW_AI [--arrow DIR] [--only NAME]...``."""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.arrow_project.conform.oracle import Oracle
from tests.real_client import FUNCTIONS, NEVER_SENT, TOOLS, missing
from tests.real_client.client import Client
from tests.real_client.conversations import CONVERSATIONS
from tests.real_client.house import house
from tests.real_client.judging import play


def main() -> int:
    """Prints a row for each conversation; 0 if nothing is wrong, or if the client is not there."""
    arguments = _arguments()
    client = Client(arguments.tools / "godot", (arguments.checkout / "Arrow").resolve())
    oracle = Oracle(client.godot, arguments.tools / "oracle.gd", (arguments.arrow or client.project).resolve())
    if reason := missing(arguments.tools, client.project):
        sys.stdout.write(f"Skipped: {reason}.\n")
        return 0
    client.prepare()
    oracle.prepare()
    sys.stdout.write(f"Documents are loaded in the Arrow of {oracle.checkout}.\n")
    wrong, functions = 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder, house(Path(folder) / "data") as opened:
        for conversation in CONVERSATIONS:
            if arguments.only and conversation.name not in arguments.only:
                continue
            began = time.monotonic()
            verdict = play(conversation, opened, client, oracle)
            functions += verdict.functions
            wrong += bool(verdict.problems)
            stops = [turn.stop_ms for turn in verdict.seen.turns if turn.stop_ms >= 0]
            row = f"{'FAILED' if verdict.problems else 'ok':7}{conversation.name:28}{len(verdict.seen.turns):3} turns "
            row += f"{verdict.functions.total():4} calls {time.monotonic() - began:6.1f} s"
            row += f"  stops {stops} ms" if stops else ""
            row += f"  {verdict.stale} stale references" if verdict.stale else ""
            errors = len(verdict.seen.script_errors)
            row += f"  {errors} script errors in the client" if errors else ""
            sys.stdout.write(f"{row}\n")
            sys.stdout.write("".join(f"       {problem}\n" for problem in verdict.problems))
            sys.stdout.flush()
    unused = FUNCTIONS - NEVER_SENT - functions.keys()
    sys.stdout.write(f"{len(functions)} of the client's {len(FUNCTIONS)} functions were called; ")
    sys.stdout.write(
        f"never sent: {', '.join(sorted(NEVER_SENT))}; not covered: {', '.join(sorted(unused)) or 'none'}\n"
    )
    return 1 if wrong or (unused and not arguments.only) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.real_client", description=__doc__)
    parser.add_argument("checkout", type=Path, help="a work tree of Arrow-AI")
    tools = Path(os.environ.get("ARROW_ORACLE", TOOLS))
    parser.add_argument("--tools", type=Path, default=tools, help="folder with godot and oracle.gd (ARROW_ORACLE)")
    parser.add_argument("--arrow", type=Path, help="the Arrow that loads the documents; default: the fork itself")
    parser.add_argument("--only", action="append", help="the name of a conversation")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
