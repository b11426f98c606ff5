"""Histograms of scores that were counted in one pass, and how they are read."""
