"""The examiner for authors of bots: all that the protocol asks of a bot, tried out on one, and told in plain words."""
