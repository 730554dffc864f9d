"""The attacks, a file each, named as the attack is."""
