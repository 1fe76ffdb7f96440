"""`python -m ingest DIR --project 1`: a second name for `fletcher ingest`."""

import sys

from fletcher.__main__ import main

if __name__ == "__main__":
    main(["ingest", *sys.argv[1:]])
