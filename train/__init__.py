"""Training: agents that learn by playing."""
