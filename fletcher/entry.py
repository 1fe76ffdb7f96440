"""What the program `fletcher` runs. Each process that reads documents loads this again, and so it loads nothing."""


def main() -> None:
    """Runs one command; see `fletcher.__main__`."""
    from fletcher.__main__ import main as run

    run()
