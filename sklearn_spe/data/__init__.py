"""Scores and labels as models see them: samples, cells, scales, inclusion probabilities."""
