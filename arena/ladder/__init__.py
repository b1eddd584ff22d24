"""Frozen ladders: bots of known strength, their ratings, and how a bot is placed among them (docs/place.md)."""
