"""Re-identification risk: the probability that an attacker links a record to its person."""
