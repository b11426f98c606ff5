"""Goals and other questions to a posterior, and the best threshold for a goal."""
