"""Copies the lessons to where a learner works, also from a wheel, and opens them."""
