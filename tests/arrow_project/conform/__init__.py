"""Comparing our edits with those of the real Arrow editor."""
