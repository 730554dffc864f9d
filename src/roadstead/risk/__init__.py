"""Re-identification risk: how likely it is that a record is traced to its person."""
