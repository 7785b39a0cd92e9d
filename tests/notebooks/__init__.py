"""Runs the notebooks; `python -m tests.notebooks` writes their outputs anew."""
