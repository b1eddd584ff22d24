"""Many matches: what is planned, who plays it, what is kept, and what follows from it."""
