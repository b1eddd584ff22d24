"""Measurements. All rows of a run take turns in short slices, so that a busy machine disturbs them alike."""
