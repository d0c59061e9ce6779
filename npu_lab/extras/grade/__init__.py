"""Grades collected notebooks by the exercise engine's own checkers."""
