"""Define the attacks: one file per attack, with the name of the attack."""
