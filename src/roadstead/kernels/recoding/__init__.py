"""The compiled loops of searches for recodings, and of lower bounds on their loss."""
