"""Files of rated answers, as evaluation tools and people write them."""
