"""Write a policy as SQL, for engines whose tables never leave the engine."""
