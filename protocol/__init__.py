"""Bytes to messages and back: what the arena and a bot say to each other. Knows no game and no process."""
