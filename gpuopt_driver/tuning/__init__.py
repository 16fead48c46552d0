"""Building a program in several ways, running each, and seeing which is fastest and whether all say the same."""
