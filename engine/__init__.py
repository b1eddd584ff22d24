"""The rules of the games: pure, deterministic, ignorant of bots, bytes and clocks."""
