"""What is known while labelling."""
