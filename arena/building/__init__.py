"""Bots that have to be built before they can play."""
