"""Leagues of many matches: the plan, the workers that play it, the stored results, ratings and reports."""
