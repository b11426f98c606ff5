"""Estimators of the conditional accuracy of items: one method per file."""
