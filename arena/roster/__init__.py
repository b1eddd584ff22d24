"""Bots and their folders: found, digested, trusted, seated."""
