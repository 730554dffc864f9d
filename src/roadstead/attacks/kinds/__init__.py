"""The attacks, one file per attack, each with the name of its attack."""
