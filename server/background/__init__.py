"""What goes on beside requests: documents taken in, vectors, linked folders."""
