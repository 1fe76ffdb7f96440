"""What a model is told: instructions, history, what is looked for in the documents, this turn's context."""
