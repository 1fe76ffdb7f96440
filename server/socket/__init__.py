"""The WebSocket: a client's session, its stories, its turns and uploads."""
