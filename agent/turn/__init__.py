"""A turn: from a message to its end, what happens in it, and what is done without anybody answering."""
