"""Compare what an attacker knows about people with what a release shows."""
