"""What is on every tab: dark and light, a lost connection, where files are dropped, how much is drawn."""
