"""A second engine in plain Python, written from the rules for reading, against which the compiled one is played."""
