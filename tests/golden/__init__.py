"""Recorded games that the engine has to play as it did: `python -m tests.golden` writes them anew."""
