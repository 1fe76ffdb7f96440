"""Who is let in: the form for a token, and what a socket of an open page may say."""
