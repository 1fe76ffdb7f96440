"""The commands, one module for each thing they work on."""
