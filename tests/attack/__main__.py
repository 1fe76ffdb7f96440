"""An attack on a real server: python -m tests.attack [--phase NAME]... [--count N] [--seed N] [--short] [--together]
                                                    [--same-workspace]

`fletcher serve` runs with tokens, real stores and the default model; malformed frames and bodies, many clients, killed
readers, hostile documents and stores that stand still come over it, while one well-behaved client in a workspace of its
own asks every second and knows every answer. Prints what it was answered, how much memory the server took and what went
wrong; exit code 1 if a limit is broken.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import pytest
from rich.console import Console

from fletcher.termination import ending_in_order
from tests.attack.campaign import Campaign, run
from tests.attack.phases import PHASES
from tests.attack.report import limits, show


def main() -> int:
    """The exit code."""
    arguments = _arguments()
    counts = {
        name: arguments.count or (phase.short if arguments.short else phase.long) for name, phase in PHASES.items()
    }
    names: list[str] = arguments.phase or list(PHASES)
    console = Console(width=None if sys.stdout.isatty() else 140)
    campaigns: list[Campaign] = []
    for with_stores in (False, True):
        chosen = [name for name in names if PHASES[name].needs_stores is with_stores]
        if not chosen:
            continue
        stages = [chosen] if arguments.together else [[name] for name in chosen]
        with tempfile.TemporaryDirectory(prefix="fletcher-attack-", ignore_cleanup_errors=True) as folder:
            try:
                where = {"with_stores": with_stores, "shares_workspace": arguments.same_workspace}
                campaigns.append(run(Path(folder), stages, counts, arguments.seed, **where))
            except pytest.skip.Exception as reason:
                console.print(f"{', '.join(chosen)}: left out, {reason}")
    if not campaigns:
        return 0
    show(campaigns, console)
    return 0 if all(limit.is_kept for limit in limits(campaigns)) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phase", action="append", choices=list(PHASES), help="only this one; may be given again")
    parser.add_argument("--count", type=int, help="how often, of each phase")
    parser.add_argument("--short", action="store_true", help="as often as in the test suite")
    parser.add_argument("--together", action="store_true", help="all phases at the same time")
    parser.add_argument("--same-workspace", action="store_true", help="the good client is of the attacker's workspace")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    with ending_in_order():
        sys.exit(main())
