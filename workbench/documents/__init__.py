"""The tab `Documents`, and a place in a document, which the other tabs show too."""
