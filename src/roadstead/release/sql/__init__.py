"""Write a policy as SQL, for tables that must never leave their engine."""
