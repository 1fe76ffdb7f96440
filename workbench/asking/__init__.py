"""The tab `Ask`, and what a conversation is made of: turns, what they say, and the places they cite."""
