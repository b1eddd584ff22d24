"""What this machine has for the arena, and what is missing."""
