"""People at a table, in their browsers: plans, tables, what each seat sees, and the bridge to the match."""
