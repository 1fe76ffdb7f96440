"""What a stranger would try, against a real server, while one well-behaved client goes on: `python -m tests.attack`."""
