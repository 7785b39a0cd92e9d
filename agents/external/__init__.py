"""Agents in processes of their own, in any language: JSON lines over standard input and output (docs/bots.md)."""
