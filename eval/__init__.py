"""Matches, tournaments, ratings and reports: how strong an agent is, and how sure that is."""
