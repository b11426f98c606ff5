"""Goals and other questions to a posterior: what is asked, and the best threshold for it."""
