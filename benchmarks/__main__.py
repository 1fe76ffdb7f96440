"""`make bench`: every measurement, one after the other."""

import pkgutil
import subprocess
import sys

import benchmarks


def main() -> None:
    """Runs each module as its own process, so that none warms the caches of another."""
    for module in sorted(info.name for info in pkgutil.iter_modules(benchmarks.__path__)):
        if not module.startswith("_"):  # this one, and what several have in common
            print(f"\n== {module}", flush=True)
            subprocess.run([sys.executable, "-m", f"benchmarks.{module}"], check=True)


if __name__ == "__main__":
    main()
