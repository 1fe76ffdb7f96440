"""Side-by-side measurements. Each module is one command: `python -m benchmarks.NAME`."""
