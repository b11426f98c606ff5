"""Strategies: from a pool of scores and its labels to the items to label next.

They are stateless. A new one takes one file and one entry in `STRATEGIES`.
"""
