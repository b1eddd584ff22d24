"""Better values for the parameters of a bot, found by playing: SPSA, the confidence in what it found, and the plot."""
