"""Files of judged answers, as evaluation tools and people write them."""
