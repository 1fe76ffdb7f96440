"""What reads: the documents and the story for a model, and citations."""
