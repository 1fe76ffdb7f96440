"""uvicorn's connections with an end to waiting, and to work: what one client sends keeps nobody else waiting."""
