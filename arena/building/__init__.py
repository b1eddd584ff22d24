"""How bots are built."""
