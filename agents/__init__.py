"""Everything that chooses an action: agents get observations, never the game."""
