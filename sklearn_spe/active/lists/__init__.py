"""Ranked lists of items whose labels are to be known."""
