"""Compare an attacker's knowledge about people with a release."""
