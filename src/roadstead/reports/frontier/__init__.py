"""Show the results of a frontier: the facts, and the text, JSON, and page made from them."""
