"""People and bots at one table, in the browser or in the terminal."""
