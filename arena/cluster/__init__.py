"""A league on many machines: Dask brings blocks to workers and results back (docs/cluster.md)."""
