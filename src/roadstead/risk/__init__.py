"""Re-identification risk: how likely an attacker is to link a record to its person."""
