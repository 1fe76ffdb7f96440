"""Who may talk to the server, and how it is shown."""
