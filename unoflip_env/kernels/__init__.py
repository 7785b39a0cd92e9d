"""Numba kernels: small functions on one game record, and the loops that run them over a batch."""
