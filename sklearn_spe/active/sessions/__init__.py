"""The state of a labeling session."""
