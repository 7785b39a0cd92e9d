"""The rules one by one: a test at least for each identifier and for each value of each option, on the compiled engine."""
