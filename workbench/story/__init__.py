"""The tab `Story`: a story is opened, kept, drawn and checked."""
