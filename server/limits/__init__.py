"""How much anybody may have of the server: bytes, sockets, threads, turns."""
