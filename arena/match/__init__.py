"""One match: bots as processes, a referee without IO, and the record."""
