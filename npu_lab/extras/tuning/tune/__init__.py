"""Finds a good `iterations_per_loop` for a script, by trying several."""
