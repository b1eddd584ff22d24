"""A record again: moment by moment, verified, or put before another bot."""
