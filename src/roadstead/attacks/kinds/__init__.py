"""Define the attacks. Each file has one attack and its name."""
