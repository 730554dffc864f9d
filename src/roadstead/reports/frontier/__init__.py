"""What is said of a frontier: the facts, and the terminal, JSON and the page made of them."""
