"""The part of the tab `Story` that changes it: messages, and functions as forms."""
