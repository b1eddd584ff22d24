"""Which arena this is."""

from importlib.metadata import version

VERSION = version("dino-arena")
